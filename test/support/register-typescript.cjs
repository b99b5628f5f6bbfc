/**
 * Lets plain Node load the sources: a child process of a test (`node --require <this file> program.cjs`) and Jest's
 * global setup, which does not use Jest's own module resolution. What needs no build cannot run an old one.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { compileTypeScript } = require('./compile-typescript.cjs');

Module._extensions['.ts'] = (module, filename) => {
  const { code } = compileTypeScript(readFileSync(filename, 'utf8'), filename, { sourcemap: 'inline' });
  module._compile(code, filename);
};

// Sources name their imports as they are once built: './pet.js'.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const inSource = request.startsWith('.') && request.endsWith('.js') && parent?.filename?.endsWith('.ts');
  return resolve.call(this, inSource ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};
