/**
 * Jest's environment for Node, with one context for all test files of a process, so that they can share modules
 * (load-once.cjs). What every file loads again is compiled once: Jest compiles with `vm.compileFunction`, for which V8
 * keeps nothing (nodejs/node#35375); a `vm.Script` keeps all functions that have been compiled before.
 */
const vm = require('node:vm');

const { compileFunction } = vm;
/** By the name of the file. Jest's `importModuleDynamically` only throws, in the same way for each test file. */
const scripts = new Map();

vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, importModuleDynamically, parsingContext, ...others } = options;
  if (parsingContext === undefined || Object.keys(others).length > 0)
    return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join(', ')}) {`;
  const known = scripts.get(filename);
  if (known?.source === source && known.head === head) return known.script.runInContext(parsingContext);
  const script = new vm.Script(`${head}${source}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically,
  });
  scripts.set(filename, { source, head, script });
  return script.runInContext(parsingContext);
};

class Environment extends require('jest-environment-node').TestEnvironment {
  /** The only one of the process. In watch mode and with coverage, each file has one of its own instead. */
  static one;
  /** For reused-databases.ts. */
  static freeDatabases = new Map();

  #own;
  #env;
  #exit;

  constructor(...args) {
    if (Environment.one !== undefined) return Environment.one;
    super(...args);
    const { watch, watchAll, collectCoverage } = args[0].globalConfig;
    if (!watch && !watchAll && !collectCoverage) Environment.one = this;
    const { process } = this.global;
    this.#own = new Set(Reflect.ownKeys(this.global));
    this.#env = { ...process.env };
    this.#exit = process.exit;
    this.global.freeDatabases = Environment.freeDatabases;
  }

  /** Undoes what a file and Jest changed in the context. What shared modules put there stays. */
  async teardown() {
    if (this !== Environment.one) return super.teardown();
    const { global } = this;
    for (const key of Reflect.ownKeys(global)) if (!this.#own.has(key) && isOfJest(key)) delete global[key];
    this.fakeTimersModern.useRealTimers();
    this.fakeTimers.useRealTimers();
    // Jest wraps it for each file.
    global.process.exit = this.#exit;
    for (const name of Object.keys(global.process.env))
      if (!(name in this.#env)) delete global.process.env[name];
    Object.assign(global.process.env, this.#env);
    // Of this copy of `process`, on which nothing is emitted.
    global.process.removeAllListeners();
  }
}

/** The state of a file, and its options: Jest keeps them under symbols. */
function isOfJest(key) {
  return typeof key === 'symbol' && /jest|^(?:EVENT_HANDLERS|LOG_|RETRY_|TEST_|WAIT_)/i.test(key.description);
}

module.exports = Environment;
