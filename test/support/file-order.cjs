/**
 * In which order files are begun: first those that start whole programs, so that none of these is left over when all
 * else is done; then as Jest has it, longest first as far as it knows.
 *
 * `npm test -- --randomize` runs the tests of each file in an order drawn from the seed that it prints; so are the
 * files themselves here. `--seed=<the same>` repeats both.
 */
const { createHash } = require('node:crypto');
const { createRequire } = require('node:module');
const { relative, sep } = require('node:path');

// Jest's own, which it brings with it.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Sequencer } = createRequire(core)('@jest/test-sequencer');

module.exports = class FileOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.globalConfig = options.globalConfig;
  }

  sort(tests) {
    const { randomize, rootDir, seed } = this.globalConfig;
    const place = randomize ? (file) => drawnPlace(file, seed) : (file) => (startsPrograms(file) ? '0' : '1');
    const places = new Map(tests.map((test) => [test, place(relative(rootDir, test.path))]));
    return [...super.sort(tests)].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }
};

function startsPrograms(file) {
  return ['e2e', 'mongo', 'security', 'load', 'bench'].includes(file.split(sep)[1]);
}

function drawnPlace(file, seed) {
  return createHash('sha256').update(`${seed} ${file}`).digest('hex');
}
