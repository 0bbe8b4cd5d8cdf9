"""Layout faults: words that lie on one another, are cut off, or stick out of their button."""

from playwright.sync_api import Page

_FAULTS = """() => {
  const inset = (box, by) => ({ l: box.l + by, t: box.t + by, r: box.r - by, b: box.b - by });
  const { max, min } = Math;
  const common = (a, b) => ({ l: max(a.l, b.l), t: max(a.t, b.t), r: min(a.r, b.r), b: min(a.b, b.b) });
  const empty = (box) => box.r <= box.l || box.b <= box.t;
  const boxOf = ({ left, top, right, bottom }) => ({ l: left, t: top, r: right, b: bottom });
  const window_ = { l: 0, t: 0, r: innerWidth, b: innerHeight };
  const words = [], faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement, text = node.textContent.trim();
    if (!text || !own.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (own.closest('.unseen, script, style, option')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      let whole = boxOf(rect);
      let seen = whole, cut = '';
      for (let up = own; up; up = up.parentElement) {
        const style = getComputedStyle(up), box = boxOf(up.getBoundingClientRect());
        const clips = style.overflowX !== 'visible' || style.overflowY !== 'visible';
        if (clips && up !== document.body && up !== document.documentElement) {
          const hidden = style.overflowX === 'hidden' || style.overflowX === 'clip';
          const told = style.textOverflow === 'ellipsis';
          if (hidden && !told && (whole.r > box.r + 1 || whole.l < box.l - 1)) cut = 'is cut off';
          const scrolls = style.overflowX === 'auto' && up.matches('[tabindex="0"]'); // sideways, by keys too
          if (scrolls || (hidden && told)) whole = common(whole, box);
          seen = common(seen, box);
        }
        if (up.matches('button, .chip, .card') && (whole.r > box.r + 1 || whole.l < box.l - 1)) cut = 'sticks out';
        if (style.position === 'fixed') break;
      }
      if (whole.r > innerWidth + 1 || whole.l < -1) cut = 'is beside the window';
      if (cut && !empty(common(seen, window_))) faults.push(`"${text}" ${cut}`);
      seen = inset(common(seen, window_), 1.5);
      if (empty(seen)) continue;
      const top = document.elementFromPoint((seen.l + seen.r) / 2, (seen.t + seen.b) / 2);
      const above = top?.closest('dialog, .toast, .banner');
      if (above && !above.contains(own)) continue; // meant to lie on top, and opaque
      words.push({ text, own, seen });
    }
  }
  words.forEach((one, at) => {
    for (const other of words.slice(at + 1)) {
      if (one.own === other.own || empty(common(one.seen, other.seen))) continue;
      faults.push(`"${one.text}" and "${other.text}" overlap`);
    }
  });
  return [...new Set(faults)];
}"""


def list_layout_faults(page: Page) -> list[str]:
    """Return what is wrong with the words that a page shows now, a sentence each; empty where nothing is."""
    faults: list[str] = page.evaluate(_FAULTS)
    return faults
