/**
 * Jest's environment for Node, in a process that compiles each module once instead of once per test file: half of
 * what it costs to load the gateway. Jest compiles with `vm.compileFunction`, for which V8 keeps nothing
 * (nodejs/node#35375); a `vm.Script` runs in the context of each file, with all functions that have been compiled
 * before.
 */
const { tracingChannel } = require('node:diagnostics_channel');
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
  /**
   * Held as long as the process. Each test file loads ioredis again, and Node 20 loses a channel that is in use when it
   * collects an earlier one of the same name.
   */
  static channel = tracingChannel('ioredis:command');
  /** For reused-databases.ts. */
  static freeDatabases = new Map();

  async setup() {
    await super.setup();
    this.global.freeDatabases = Environment.freeDatabases;
  }
}

module.exports = Environment;
