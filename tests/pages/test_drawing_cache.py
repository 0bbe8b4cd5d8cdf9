"""A table that is drawn with pictures kept of it looks as if everything had been drawn anew."""

from playwright.sync_api import Page

from tests.pages.played_game import PlayedTable

EDGE = 30
"""Of 255: a picked base is drawn over itself, and where its edge covers half a pixel it shows twice; else it is 2."""

DRAWN = """async () => {
  const draw = await import("/static/common/draw.js");
  const { drawTerrainNames } = await import("/static/common/labels.js");
  const { tableDrawing } = await import("/static/common/layers.js");
  const { live, apply } = await import("/static/common/live.js");
  let view = await new Promise((done) => live({ changed: (now) => Object.keys(now.shapes).length && done(now) }));
  let mapping = { scale: 0.3, left: 20, top: 380 };
  const page = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const whole = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  [page.canvas.width, page.canvas.height] = [whole.canvas.width, whole.canvas.height] = [520, 400];
  const drawTable = tableDrawing();
  const pixels = (ctx) => ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height).data;
  const clear = (ctx) => { ctx.setTransform(1, 0, 0, 1, 0, 0); ctx.clearRect(0, 0, 1e4, 1e4); };
  const apart = (one, other) => {
    let most = one.length === other.length ? 0 : 255;
    for (let at = 0; at < one.length; at++) most = Math.max(most, Math.abs(one[at] - other[at]));
    return most;
  };
  const differs = () => {
    for (const ctx of [page, whole]) clear(ctx);
    drawTable(page, mapping, view, 11);
    draw.drawGround(whole, mapping, view.table.table);
    draw.drawTerrain(whole, mapping, view);
    drawTerrainNames(whole, mapping, view, 11);
    draw.drawShapes(whole, mapping, view, draw.UNDER);
    draw.drawModels(whole, mapping, view);
    draw.drawShapes(whole, mapping, view, draw.OVER);
    return apart(pixels(page), pixels(whole));
  };
  const set = (set, gone = {}) => { view = apply(view, { type: "delta", seq: 0, set, gone }); };
  const id = Object.keys(view.models).at(-1);
  const way = { ...Object.values(view.shapes)[0], layer: "way", style: "ghost" };
  const steps = {
    first: () => {},
    again: () => {},
    moves: () => set({ models: { [id]: { x_mm: 1100, moving: true } } }),
    along: () => set({ models: { [id]: { x_mm: 1120 } }, shapes: { way } }),
    further: () => set({ models: { [id]: { x_mm: 1150 } } }),
    rests: () => set({ models: { [id]: { moving: false } } }),
    hidden: () => set({ models: { [id]: { state: "held" } } }),
    picked: () => set({ move: { move: { unit: view.models[id].unit, model: id } } }),
    sides: () => set({ units: { [view.models[id].unit]: { side: 3 } } }),
    shapes: () => set({}, { shapes: Object.keys(view.shapes).slice(0, 1) }),
    zoomed: () => { mapping = { ...mapping, scale: 0.5 }; },
    larger: () => { page.canvas.width = whole.canvas.width = 620; },
    gone: () => set({}, { models: [id] }),
  };
  const found = {};
  const changed = {};
  const anew = [];
  const { drawImage } = CanvasRenderingContext2D.prototype;
  let laid = 0;
  CanvasRenderingContext2D.prototype.drawImage = function (...of) { laid += 1; return drawImage.apply(this, of); };
  let before = [];
  for (const [name, step] of Object.entries(steps)) {
    step();
    laid = 0;
    found[name] = differs();
    if (laid > 1) anew.push(name); // the ground is laid under a new picture of what rests
    const now = pixels(page);
    changed[name] = apart(now, before);
    before = now;
  }
  return [found, changed, anew];
}"""


def test_pictures_that_are_kept_show_what_drawing_all_anew_would(page: Page, address: str, table: PlayedTable) -> None:
    page.goto(f"{address}/tablet")
    page.locator('#units [data-key="Rangers"]').click()
    page.get_by_role("button", name="Normal move").click()
    differences, changed, anew = page.evaluate(DRAWN)
    assert max(differences.values()) <= EDGE, differences
    assert changed["again"] == 0
    assert [name for name, far in changed.items() if far <= EDGE] == ["again", "rests"]
    assert not {"again", "further", "along"} & set(anew)  # what moves leaves them as they are
    assert table.declared is not None
