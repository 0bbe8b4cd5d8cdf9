// @ts-check
// A battle report in one file: its words can be changed, and it is saved with them.

const save = /** @type {HTMLButtonElement} */ (document.getElementById("save"));

/** The file, with everything as it is written now, and without what only the table can do. */
function written() {
  const page = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));
  for (const part of page.querySelectorAll("[data-served]")) part.remove();
  for (const policy of page.querySelectorAll('meta[http-equiv="Content-Security-Policy"]')) {
    policy.setAttribute("content", (policy.getAttribute("content") ?? "").replace("; connect-src 'self'", ""));
  }
  return `<!doctype html>\n${page.outerHTML}`;
}

/** Gives a file to the device: to whom it is to be sent where it can ask that, else to its downloads. @param {Blob} blob @param {string} ending */
async function give(blob, ending) {
  const file = new File([blob], `${document.title}.${ending}`, { type: blob.type });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      return await navigator.share({ files: [file], title: document.title });
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return;
    }
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Asks the table for a file, and says meanwhile what it does. @param {string} id  of the button @param {() => Promise<Response>} ask */
function offer(id, ask) {
  const button = /** @type {HTMLButtonElement | null} */ (document.getElementById(id));
  button?.addEventListener("click", async () => {
    const words = button.textContent;
    [button.disabled, button.textContent] = [true, button.dataset.meanwhile ?? ""];
    try {
      const answer = await ask();
      if (!answer.ok) throw new Error(await answer.text());
      await give(await answer.blob(), id === "pdf" ? "pdf" : "webm");
    } catch (error) {
      alert(error instanceof TypeError ? button.dataset.silent : error instanceof Error ? error.message : String(error));
    }
    [button.disabled, button.textContent] = [false, words];
  });
}

/** What stands on the page, by what its parts are called: the PDF is to say the same. */
const texts = () => Object.fromEntries([.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-text]"))].map((part) => [part.dataset.text, part.innerText.trim()]));

const asServed = JSON.stringify(texts());

/** The PDF; words that nobody changed are left at home, for who only watches may ask for it, but send nothing. */
function askPdf() {
  const body = JSON.stringify(texts());
  const sent = body === asServed ? undefined : { method: "POST", headers: { "Content-Type": "application/json" }, body };
  return fetch("battle.pdf", sent);
}

save.addEventListener("click", () => void give(new Blob([written()], { type: "text/html" }), "html"));
offer("pdf", askPdf);
offer("film", () => fetch("battle.webm"));
document.getElementById("print")?.addEventListener("click", () => print());
document.addEventListener("input", () => {
  document.title = document.querySelector("h1")?.textContent || document.title;
});
// What is pasted brings no foreign fonts and pictures along.
document.addEventListener("paste", (event) => {
  event.preventDefault();
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const place = getSelection();
  if (!place?.rangeCount) return;
  place.deleteFromDocument();
  place.getRangeAt(0).insertNode(document.createTextNode(text));
  place.collapseToEnd();
});
