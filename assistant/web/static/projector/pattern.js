// @ts-check
// Tags of light: what the projector page shows while the projector is being calibrated.

/** @import { PatternView } from "../messages.js" */

/** @param {CanvasRenderingContext2D} ctx @param {PatternView} pattern  its pixels are the canvas's own */
export function drawPattern(ctx, { level, tags }) {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = `rgb(${level} ${level} ${level})`;
  for (const { left_px, top_px, cell_px, rows } of tags) {
    rows.forEach((row, down) => {
      // Cells side by side are one rectangle.
      for (let from = 0; from < rows.length; from++) {
        let to = from;
        while (to < rows.length && (row >> (rows.length - 1 - to)) & 1) to++;
        if (to > from) ctx.fillRect(left_px + from * cell_px, top_px + down * cell_px, (to - from) * cell_px, cell_px);
        from = Math.max(from, to - 1);
      }
    });
  }
}
