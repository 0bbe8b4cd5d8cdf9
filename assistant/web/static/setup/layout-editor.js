// @ts-check
// The editor of a layout: pieces are dragged, turned and put down on the table from above; their twins follow.

/** @import { FromPage, LayoutEditorView, LayoutPartView, View } from "../messages.js" */
/** @import { Point } from "./snapping.js" */
import { block, byId, el, icon, svg } from "../common/dom.js";
import { boxOf, reflected, snapMove, snapTurn } from "./snapping.js";
import { read, say } from "../common/language.js";

/** @typedef {LayoutEditorView["pieces"][number]} Piece */
/** @typedef {{ id: string, from: Map<number, Point>, now: Map<number, Point>, handle: boolean, by: Point, turn: number }} Grip */

const NEAR_PX = 9;
const MARGIN_MM = 24;
const HANDLE_MM = 55;
const INCH_MM = 25.4;
const GRID_MM = 6 * INCH_MM;
/** @type {[string, number][]} */
const HEIGHTS = [[say("flat"), 0], ['1"', INCH_MM], ['2"', 2 * INCH_MM], ['3"', 3 * INCH_MM], ['5"', 5 * INCH_MM], ['6"', 6 * INCH_MM]];
/** @type {[LayoutEditorView["symmetry"], string][]} */
const SYMMETRIES = [["half-turn", say("Half turn")], ["left-right", say("Left and right")], ["near-far", say("Near and far")], ["none", say("None")]];
/** @type {Record<string, Point>} what arrow keys do, in steps */
const STEPS = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: 1 }, ArrowDown: { x: 0, y: -1 } };

/**
 * Builds the editor, which lies over the page while a layout is open; the function returned shows a view in it.
 * @param {(message: FromPage) => unknown} send
 * @param {(name: string) => void} chosen  called with the name of a layout that was saved, to be played on
 */
export function layoutEditor(send, chosen) {
  /** @type {LayoutEditorView | null} */
  let view = null;
  let selected = "";
  let taken = "";
  /** @type {Grip | null} */
  let grip = null;
  /** The corners of an outline that is being drawn. @type {Point[] | null} */
  let corners = null;
  /** Under which title it is to be kept. */
  let asked = "";
  /** The address of the camera's picture, straight from above; empty while nobody traces it. */
  let traced = "";
  let canTrace = false;
  let isLeaving = false;
  const drawing = svg("svg", { class: "layout-table", tabindex: 0, role: "application", "aria-label": say("The table from above. Drag pieces; arrows move what is chosen, R turns it, Delete takes it away.") });
  const [head, side] = [el("div", { class: "layout-head entry" }), el("div", { class: "layout-side" })];
  const title = el("input", { type: "text", maxlength: "100", "aria-label": say("What is it called?"), autocomplete: "off" });
  const dialog = el("dialog", { class: "layout-editor", "aria-label": say("The layout") }, head, el("div", { class: "layout-main" }, drawing, side));
  document.body.append(dialog);
  const fillHead = block(head, bar);
  const fillSide = block(side, panel);
  dialog.addEventListener("cancel", (event) => (event.preventDefault(), escape()));
  dialog.addEventListener("keydown", keyed);
  drawing.addEventListener("pointerdown", (event) => grasp(/** @type {PointerEvent} */ (event)));
  drawing.addEventListener("pointermove", (event) => move(/** @type {PointerEvent} */ (event)));
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, (event) => release(/** @type {PointerEvent} */ (event)));

  return (/** @type {View} */ now) => {
    const shown = now.layout_editor.layout ?? null;
    if (shown && !view) {
      title.value = shown.title;
      [asked, taken, selected, corners, traced, isLeaving] = ["", "", "", null, "", false];
    }
    if (shown?.selected && shown.selected !== taken) selected = taken = shown.selected;
    if (shown?.saved && asked === shown.title) {
      chosen(shown.saved);
      asked = "";
      send({ type: "layout-close" });
    }
    view = shown;
    canTrace = Boolean(now.lookout.lookout);
    if (shown && !dialog.open) {
      dialog.showModal();
      dialog.append(byId("toast")); // what lies under a modal dialog is not seen
    }
    if (!shown && dialog.open) {
      dialog.close();
      document.body.append(byId("toast"));
    }
    if (shown && !grip) refresh();
  };

  function refresh() {
    if (!view) return;
    if (!view.pieces.some(({ id }) => id === selected) && !view.markers.some(({ id }) => id === selected)) selected = "";
    draw(view);
    fillHead({ undo: view.can_undo, redo: view.can_redo, isLeaving });
    fillSide({ view, selected, corners: corners?.length ?? -1, canTrace, traced });
  }

  /** @param {{ undo: boolean, redo: boolean, isLeaving: boolean }} data */
  function bar({ undo, redo, isLeaving: asks }) {
    if (asks) {
      return [
        el("span", { class: "grow", role: "status" }, say("Your changes are not saved.")),
        el("button", { class: "small", "data-key": "throw-away", onclick: () => send({ type: "layout-close" }) }, say("Discard changes")),
        el("button", { class: "small primary", "data-key": "stay", onclick: () => ((isLeaving = false), refresh()) }, say("Continue editing")),
      ];
    }
    return [
      title,
      el("button", { class: "small", "data-key": "undo", disabled: !undo, onclick: () => send({ type: "layout-undo" }) }, icon("back"), say("Undo")),
      el("button", { class: "small", "data-key": "redo", disabled: !redo, onclick: () => send({ type: "layout-redo" }) }, say("Redo")),
      el("button", { class: "small", "data-key": "leave", onclick: leave }, say("Cancel")),
      el("button", { class: "small primary", "data-key": "save", onclick: save }, say("Save and use it")),
    ];
  }

  /** Lays a picture underneath that is taken now, to be traced. @param {boolean} isWanted */
  function trace(isWanted) {
    traced = isWanted ? `/table.jpg?${Date.now()}` : "";
    refresh();
  }

  function leave() {
    if (!view?.can_undo || view.saved) return void send({ type: "layout-close" });
    isLeaving = true;
    refresh();
  }

  function save() {
    asked = title.value.trim() || say("My table");
    send({ type: "layout-save", title: asked });
  }

  /** @param {{ view: LayoutEditorView, selected: string, corners: number, canTrace: boolean, traced: string }} data */
  function panel({ view: now, selected: id, corners: drawn, canTrace: isSeen, traced: under }) {
    if (drawn >= 0) {
      return [
        el("p", { role: "status" }, say("Touch the corners of the piece, one after the other.")),
        el("div", { class: "buttons" },
          el("button", { class: "small primary", "data-key": "close-outline", disabled: drawn < 3, onclick: finish }, say("Close the outline")),
          el("button", { class: "small", "data-key": "drop-outline", onclick: () => ((corners = null), refresh()) }, say("Cancel"))),
      ];
    }
    const piece = now.pieces.find((one) => one.id === id);
    const marker = now.markers.find((one) => one.id === id);
    return [
      piece ? pieceTools(now, piece) : marker ? markerTools(marker.id) : el("p", { class: "quiet" }, say("Touch a piece to choose it, and drag it; turn it by its handle, or with a second finger.")),
      el("h3", {}, say("Add")),
      el("div", { class: "layout-templates", role: "group", "aria-label": say("Add") },
        ...now.templates.map(({ name, title: label, parts }) =>
          el("button", { class: "small", "data-key": `add-${name}`, title: label, onclick: () => send({ type: "layout-add", template: name, x_mm: now.width_mm / 2, y_mm: now.depth_mm / 3 }) }, sketch(parts), name)),
        el("button", { class: "small", "data-key": "add-outline", onclick: () => ((corners = []), (selected = ""), refresh()) }, say("An outline")),
        el("button", { class: "small", "data-key": "add-marker", onclick: () => send({ type: "layout-marker", x_mm: now.width_mm / 2, y_mm: now.depth_mm / 3 }) }, say("An objective"))),
      isSeen && el("h3", {}, say("The table underneath")),
      isSeen && chips(say("The table underneath"), [
        { key: "ground-drawn", words: say("Drawn"), pressed: !under, does: () => trace(false) },
        { key: "ground-camera", words: say("As the camera sees it"), pressed: Boolean(under), does: () => trace(true) },
      ]),
      el("h3", {}, say("The other half")),
      chips(say("The other half"), SYMMETRIES.map(([key, words]) => ({ key: `symmetry-${key}`, words, pressed: key === now.symmetry, does: () => send({ type: "layout-symmetry", symmetry: key }) }))),
      now.faults.length > 0 && el("div", { class: "layout-faults", role: "status" }, ...now.faults.slice(0, 6).map((text) => el("p", { class: "warning" }, icon("too-close"), el("span", {}, text))), now.faults.length > 6 && el("p", { class: "quiet" }, say("and {count} more", { count: now.faults.length - 6 }))),
    ];
  }

  /** @param {LayoutEditorView} now @param {Piece} piece */
  function pieceTools(now, { id, kind, made_of, height_mm }) {
    return el("div", { class: "part" },
      el("h3", {}, id),
      el("div", { class: "chips" },
        tool("turn", say("Turn 15°"), () => send({ type: "layout-move", piece: id, turn_deg: 15 })),
        tool("flip", say("Mirror"), () => send({ type: "layout-move", piece: id, flip: true })),
        tool("copy", say("Copy"), () => send({ type: "layout-copy", piece: id })),
        tool("remove", say("Remove"), () => send({ type: "layout-remove", piece: id }))),
      el("p", { class: "quiet" }, say("How high")),
      chips(say("How high"), HEIGHTS.map(([words, mm]) => ({ key: `height-${mm}`, words, pressed: Math.abs(mm - height_mm) < 1, does: () => send({ type: "layout-change", piece: id, height_mm: mm }) }))),
      kind === "outline" && el("p", { class: "quiet" }, say("What it is")),
      kind === "outline" && chips(say("What it is"), now.kinds.map((word) => ({ key: `kind-${word}`, words: read(word), pressed: word === made_of, does: () => send({ type: "layout-change", piece: id, kind: word }) }))),
    );
  }

  /** @param {string} id */
  const markerTools = (id) => el("div", { class: "part" }, el("h3", {}, say("Objective {id}", { id })), el("div", { class: "chips" }, tool("remove", say("Remove"), () => send({ type: "layout-remove", piece: id }))));

  /** @param {LayoutEditorView} now */
  function draw(now) {
    const { width_mm: width, depth_mm: depth } = now;
    drawing.setAttribute("viewBox", `${-MARGIN_MM} ${-MARGIN_MM} ${width + 2 * MARGIN_MM} ${depth + 2 * MARGIN_MM}`);
    const flat = svg("g", { transform: `matrix(1 0 0 -1 0 ${depth})` },
      svg("rect", { class: "felt", width, height: depth }),
      ...(traced ? [svg("image", { href: traced, width, height: depth, transform: `matrix(1 0 0 -1 0 ${depth})`, preserveAspectRatio: "none" })] : []),
      svg("path", { class: "grid", d: grid(width, depth) }),
      ...now.zones.map(({ side: whose, outline_mm }) => svg("polygon", { class: `zone zone-${whose}`, points: ring(outline_mm) })),
      ...now.pieces.map((piece) =>
        svg("g", { "data-id": piece.id, class: piece.id === selected ? "chosen" : "" }, ...piece.parts.map(({ outline_mm, fill, line }) => svg("polygon", { points: ring(outline_mm), fill, stroke: line })))),
      ...now.markers.map(({ id, x_mm, y_mm, radius_mm, range_mm }) =>
        svg("g", { "data-id": id, class: id === selected ? "marker chosen" : "marker" },
          ...(range_mm ? [svg("circle", { class: "range", cx: x_mm, cy: y_mm, r: radius_mm + range_mm })] : []),
          svg("circle", { cx: x_mm, cy: y_mm, r: radius_mm }))),
      ...handle(now),
      ...(corners ? [svg("polyline", { class: "drawn", points: corners.map(({ x, y }) => `${x},${y}`).join(" ") }), ...corners.map(({ x, y }) => svg("circle", { class: "corner", cx: x, cy: y, r: 7 }))] : []),
    );
    drawing.replaceChildren(flat);
  }

  /** What the chosen piece is turned by. @param {LayoutEditorView} now */
  function handle(now) {
    const piece = now.pieces.find(({ id }) => id === selected);
    if (!piece) return [];
    const box = boxOf(piece.parts[0].outline_mm);
    const [x, y] = [(box.left + box.right) / 2, box.high + HANDLE_MM < now.depth_mm ? box.high + HANDLE_MM : box.low - HANDLE_MM];
    return [svg("g", { "data-id": piece.id, "data-handle": "", class: "handle" }, svg("line", { x1: x, y1: (box.low + box.high) / 2, x2: x, y2: y }), svg("circle", { cx: x, cy: y, r: 20 }))];
  }

  /** Where on the table a pointer is. @param {PointerEvent} event @returns {Point} */
  function at(event) {
    const flat = /** @type {SVGGElement} */ (drawing.firstElementChild);
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(flat.getScreenCTM()?.inverse());
    return { x, y };
  }

  /** @param {PointerEvent} event */
  function grasp(event) {
    if (!view) return;
    const point = at(event);
    if (corners) {
      corners = [...corners, point];
      return refresh();
    }
    if (grip) {
      grip.from.set(event.pointerId, point);
      grip.now.set(event.pointerId, point);
    } else {
      const held = /** @type {Element} */ (event.target).closest("[data-id]");
      const id = held?.getAttribute("data-id") ?? "";
      if (id !== selected) {
        selected = id;
        refresh();
      }
      if (!held) return;
      grip = { id, from: new Map([[event.pointerId, point]]), now: new Map([[event.pointerId, point]]), handle: held.hasAttribute("data-handle"), by: { x: 0, y: 0 }, turn: 0 };
    }
    drawing.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (!grip?.now.has(event.pointerId) || !view) return;
    grip.now.set(event.pointerId, at(event));
    const piece = view.pieces.find(({ id }) => id === grip?.id);
    const box = piece ? boxOf(piece.parts[0].outline_mm) : null;
    const [from, now] = [[...grip.from.values()], [...grip.now.values()]];
    const by = { x: mean(now, "x") - mean(from, "x"), y: mean(now, "y") - mean(from, "y") };
    const isTwin = piece ? piece.id !== piece.own : false;
    if (grip.handle && box && piece) {
      const middle = { x: (box.left + box.right) / 2, y: (box.low + box.high) / 2 };
      const others = view.pieces.filter(({ own }) => own !== piece.own).map(({ parts }) => parts[0].outline_mm);
      grip.turn = snapTurn(isTwin ? 0 : piece.facing_deg, angle(middle, now[0]) - angle(middle, from[0]), piece.parts[0].outline_mm, others);
    } else if (now.length > 1) {
      grip.by = by;
      grip.turn = piece ? angle(now[0], now[1]) - angle(from[0], from[1]) : 0;
    } else {
      const others = view.pieces.filter(({ id, own }) => own !== piece?.own && id !== grip?.id).map(({ parts }) => boxOf(parts[0].outline_mm));
      grip.by = box ? snapMove(box, by, others, { width: view.width_mm, depth: view.depth_mm }, NEAR_PX * view.width_mm / drawing.clientWidth) : by;
    }
    preview(grip);
  }

  /** Shows where a piece and its twin would lie, without drawing anything anew. @param {Grip} now */
  function preview({ id, by, turn }) {
    if (!view) return;
    const thing = [...view.pieces, ...view.markers].find((one) => one.id === id);
    const twin = [...view.pieces, ...view.markers].find((one) => one.own === thing?.own && one.id !== id);
    shift(id, by, turn);
    if (twin) {
      const moved = reflected(view.symmetry, by, turn);
      shift(twin.id, moved.by, moved.turn);
    }
  }

  /** @param {string} id @param {Point} by @param {number} turn */
  function shift(id, by, turn) {
    const piece = view?.pieces.find((one) => one.id === id);
    const box = piece && boxOf(piece.parts[0].outline_mm);
    const about = box ? ` rotate(${turn} ${(box.left + box.right) / 2} ${(box.low + box.high) / 2})` : "";
    for (const group of drawing.querySelectorAll(`[data-id="${CSS.escape(id)}"]`)) group.setAttribute("transform", `translate(${by.x} ${by.y})${about}`);
  }

  /** @param {PointerEvent} event */
  function release(event) {
    if (!grip?.now.has(event.pointerId)) return;
    const { id, by, turn } = grip;
    grip = null;
    if (event.type === "pointerup" && (Math.hypot(by.x, by.y) > 0.5 || Math.abs(turn) > 0.2)) send({ type: "layout-move", piece: id, dx_mm: by.x, dy_mm: by.y, turn_deg: turned(turn) });
    else refresh();
  }

  function finish() {
    if (corners) send({ type: "layout-draw", outline_mm: corners.map(({ x, y }) => [x, y]) });
    corners = null;
    refresh();
  }

  function escape() {
    if (isLeaving) isLeaving = false;
    else if (corners) corners = null;
    else if (selected) selected = "";
    else return leave();
    refresh();
  }

  /** @param {KeyboardEvent} event */
  function keyed(event) {
    if (event.target instanceof HTMLInputElement) return;
    const step = STEPS[event.key];
    const keyName = event.key.toLowerCase();
    const command = event.ctrlKey || event.metaKey;
    if (command && keyName === "z") send({ type: event.shiftKey ? "layout-redo" : "layout-undo" });
    else if (command && keyName === "y") send({ type: "layout-redo" });
    else if (!selected) return;
    else if (step) {
      const far = event.shiftKey ? 1 : INCH_MM / 2;
      send({ type: "layout-move", piece: selected, dx_mm: step.x * far, dy_mm: step.y * far });
    } else if (keyName === "r") send({ type: "layout-move", piece: selected, turn_deg: event.shiftKey ? -15 : 15 });
    else if (keyName === "delete" || keyName === "backspace") send({ type: "layout-remove", piece: selected });
    else return;
    event.preventDefault();
  }
}

/** @param {string} label @param {{ key: string, words: string, pressed: boolean, does: () => unknown }[]} choices */
const chips = (label, choices) =>
  el("div", { class: "chips", role: "group", "aria-label": label }, ...choices.map(({ key, words, pressed, does }) => el("button", { class: "small", "data-key": key, "aria-pressed": String(pressed), onclick: does }, words)));

/** @param {string} key @param {string} words @param {() => unknown} does */
const tool = (key, words, does) => el("button", { class: "small", "data-key": key, onclick: does }, words);

/** @param {LayoutPartView[]} parts */
function sketch(parts) {
  const { left, right, low, high } = boxOf(parts[0].outline_mm);
  return svg("svg", { viewBox: `${left} ${-high} ${right - left} ${high - low}`, "aria-hidden": "true" }, svg("g", { transform: "scale(1 -1)" }, ...parts.map(({ outline_mm, fill, line }) => svg("polygon", { points: ring(outline_mm), fill, stroke: line }))));
}

/** Lines by which an eye measures, from the middle of the table. @param {number} width @param {number} depth */
function grid(width, depth) {
  /** @param {number} length */
  const lines = (length) => Array.from({ length: Math.ceil(length / GRID_MM) }, (_, step) => ((length / 2) % GRID_MM) + step * GRID_MM).filter((at) => at < length);
  return lines(width).map((x) => `M${x} 0V${depth}`).concat(lines(depth).map((y) => `M0 ${y}H${width}`)).join("");
}

/** @param {[number, number][]} points */
const ring = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

/** @param {Point[]} points @param {"x" | "y"} axis */
const mean = (points, axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;

/** @param {Point} from @param {Point} to  degrees, counter-clockwise on the table */
const angle = (from, to) => (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;

/** An angle as files have it. @param {number} degrees */
const turned = (degrees) => ((degrees + 540) % 360) - 180;
