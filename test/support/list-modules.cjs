/** Writes which modules a process had loaded by its end. For `node --require`; the file is named by LOADED_MODULES. */
const { writeFileSync } = require('node:fs');

const file = process.env.LOADED_MODULES;
process.on('exit', () => writeFileSync(file, JSON.stringify(Object.keys(require.cache))));
