/**
 * Jest's runtime, in a process that reads and transforms each module once instead of once per test file. In watch mode
 * each file reads its modules again.
 */
const { createRequire } = require('node:module');

// Jest's own, which it brings with it.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Runtime } = createRequire(core)('jest-runtime');

/** By the name of the file: what Jest's `ScriptTransformer` answers. */
const transformed = new Map();

module.exports = class LoadOnce extends Runtime {
  constructor(...args) {
    super(...args);
    const { watch, watchAll, collectCoverage } = args.at(-1);
    if (!watch && !watchAll && !collectCoverage) shareTransforms(this.transformCache);
  }
};

function shareTransforms(cache) {
  const { transform } = cache;
  cache.transform = (filename, options) => {
    if (options?.isInternalModule) return transform.call(cache, filename, options);
    const known = transformed.get(filename);
    if (known === undefined) {
      const code = transform.call(cache, filename, options);
      transformed.set(filename, cache.transforms.get(filename));
      return code;
    }
    cache.transforms.set(filename, known);
    if (known.sourceMapPath) cache.sourceMaps.set(filename, known.sourceMapPath);
    return known.code;
  };
}
