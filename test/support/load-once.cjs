/**
 * Jest's runtime, in a process that loads the gateway and the packages once instead of once per test file: they take
 * most of the time of a short file, and functions that have run already are compiled for speed. Test files and the rest
 * of `test/` load again for each file. `src` keeps no state in its modules that one gateway could leave for the next:
 * several gateways share them in production as well.
 *
 * With running-test.cjs, 22 files in one process take 49 s of processor time, and 68 s without. A test that replaces a
 * method of a shared module uses `jest.spyOn`, which Jest undoes after the file.
 *
 * Modules are shared in the one context of compile-once.cjs. In watch mode, with coverage and in another environment,
 * each file has modules of its own.
 */
const { createRequire } = require('node:module');
const { join } = require('node:path');
const OneContext = require('./compile-once.cjs');
const RunningTest = require('./running-test.cjs');

// Jest's own, which it brings with it.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Runtime } = createRequire(core)('jest-runtime');

const root = join(__dirname, '../..');
const SHARED = ['src', 'node_modules', 'test/node_modules'].map((folder) => join(root, folder, '/'));

/** By the name of the file: what Jest's `ScriptTransformer` answers. */
const transformed = new Map();
/** By the name of the file: where its source map is. Jest asks for it when it prints a stack. */
const sourceMaps = new Map();
/** The runtime that loads what all files share. */
let shared;

module.exports = class LoadOnce extends Runtime {
  #shares = false;

  constructor(...args) {
    super(...args);
    const environment = args[1];
    const { watch, watchAll, collectCoverage } = args.at(-1);
    if (watch || watchAll || collectCoverage) return;
    shareTransforms(this.transformCache);
    if (environment !== OneContext.one) return;
    this.#shares = true;
    if (shared !== undefined) return;
    shared = new Runtime(...args);
    shareTransforms(shared.transformCache);
  }

  requireModule(from, name, options, isActual) {
    if (options?.isInternalModule) {
      const exports = super.requireModule(from, name, options, isActual);
      return name === 'node:async_hooks' ? { ...exports, AsyncLocalStorage: RunningTest } : exports;
    }
    if (this.#shares && name && !this._resolution.isCoreModule(name)) {
      const path = this._resolution.getCjsMockModule(from, name) ?? this._resolution.resolveCjs(from, name);
      if (SHARED.some((folder) => path.startsWith(folder))) return shared.requireModule(path);
    }
    return super.requireModule(from, name, options, isActual);
  }

  getSourceMaps() {
    return this.#shares ? sourceMaps : super.getSourceMaps();
  }
};

function shareTransforms(cache) {
  const { transform } = cache;
  cache.transform = (filename, options) => {
    if (options?.isInternalModule) return transform.call(cache, filename, options);
    const known = transformed.get(filename);
    if (known === undefined) {
      const code = transform.call(cache, filename, options);
      const result = cache.transforms.get(filename);
      transformed.set(filename, result);
      if (result.sourceMapPath) sourceMaps.set(filename, result.sourceMapPath);
      return code;
    }
    cache.transforms.set(filename, known);
    if (known.sourceMapPath) cache.sourceMaps.set(filename, known.sourceMapPath);
    return known.code;
  };
}
