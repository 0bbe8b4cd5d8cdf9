// @ts-check
// A battle report in one file: its words can be changed, and it is saved with them.

const save = /** @type {HTMLButtonElement} */ (document.getElementById("save"));

/** The file, with everything as it is written now. */
function written() {
  return `<!doctype html>\n${document.documentElement.outerHTML}`;
}

save.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([written()], { type: "text/html" }));
  link.download = `${document.title}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
});
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
