/** How Jest compiles TypeScript. It caches the results by getCacheKey. */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { version } = require('esbuild');
const { compileTypeScript } = require('./compile-typescript.cjs');

const compiler = version + readFileSync(require.resolve('./compile-typescript.cjs'), 'utf8');

module.exports = {
  process: (text, file) => compileTypeScript(text, file, { sourcemap: 'external' }),
  getCacheKey: (text, file) => createHash('sha256').update([compiler, file, text].join('\0')).digest('hex'),
};
