// @ts-check
// A file on its way to the table, in pieces that a message has room for.

export const PIECE_BYTES = 30_000;

/**
 * Sends a file, piece by piece.
 * @param {Blob} file
 * @param {(piece: { at: number, data: string, more: boolean }) => void} send
 */
export async function sendPieces(file, send) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE_BYTES) {
    const data = btoa(Array.from(bytes.subarray(at, at + PIECE_BYTES), (byte) => String.fromCharCode(byte)).join(""));
    send({ at, data, more: at + PIECE_BYTES < bytes.length });
  }
}
