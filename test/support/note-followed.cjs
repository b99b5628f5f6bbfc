/**
 * Writes whether Node follows the promises of a process at its end: before version 24, it marks each of them for every
 * AsyncLocalStorage that is on. For `node --require`; the file is named by FOLLOWED_PROMISES.
 */
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const marks = Object.getOwnPropertySymbols(Promise.resolve());
  writeFileSync(process.env.FOLLOWED_PROMISES, marks.length > 0 ? 'followed' : 'not followed');
});
