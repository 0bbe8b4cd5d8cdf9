// @ts-check
// Where the table of this page is served: at its own machine at the root, at a hall's beneath an address of its own.

const BASE = /^\/hall\/(?:table\/[^/]+|air(?=\/))/.exec(location.pathname)?.[0] ?? "";

/** Where something of this page's table is. @param {string} path  as the table's own machine has it, such as `/past/head.json` */
export const addressOf = (path) => BASE + path;
