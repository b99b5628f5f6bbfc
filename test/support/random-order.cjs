/**
 * `npm test -- --randomize` runs the tests of each file in an order drawn from the seed that it prints; so are the
 * files themselves here. `--seed=<the same>` repeats both.
 */
const { createHash } = require('node:crypto');
const { createRequire } = require('node:module');
const { relative } = require('node:path');

// Jest's own, which it brings with it.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Sequencer } = createRequire(core)('@jest/test-sequencer');

module.exports = class RandomOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.globalConfig = options.globalConfig;
  }

  sort(tests) {
    const { randomize, rootDir, seed } = this.globalConfig;
    if (!randomize) return super.sort(tests);
    const places = new Map(tests.map((test) => [test, placeOf(relative(rootDir, test.path), seed)]));
    return [...tests].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }
};

function placeOf(file, seed) {
  return createHash('sha256').update(`${seed} ${file}`).digest('hex');
}
