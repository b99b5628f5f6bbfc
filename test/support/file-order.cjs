/**
 * In which order files are begun: first those with whole programs in them, so that none of these is left over when all
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
    const place = randomize
      ? ({ path }) => drawnPlace(relative(rootDir, path), seed)
      : ({ path }) => (path.includes(`${sep}e2e${sep}`) ? '0' : '1');
    const places = new Map(tests.map((test) => [test, place(test)]));
    return [...super.sort(tests)].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }
};

function drawnPlace(file, seed) {
  return createHash('sha256').update(`${seed} ${file}`).digest('hex');
}
