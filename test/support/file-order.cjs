/**
 * In which order files are begun: first those that start programs or wait for minutes, which take longest, so that none
 * of these is left over when all else is done; within both groups as drawn from the seed that `npm test` prints and `--seed` repeats.
 * Without a seed as Jest has it, longest first as far as it knows.
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { relative } = require('node:path');

// Jest's own, which it brings with it.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Sequencer } = createRequire(core)('@jest/test-sequencer');

const PROGRAMS =
  /\/(?:child|chromium|command-line|gateway-process|mongod|redis-server|run-program|use-embedded|contract\/killed)\.js'/;
const WAITS_FOR_MINUTES = /\/strikes-live\.test\.ts$/;

module.exports = class FileOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.globalConfig = options.globalConfig;
  }

  sort(tests) {
    const { randomize, rootDir, seed } = this.globalConfig;
    const drawn = ({ path }) => (randomize ? digest(`${seed} ${relative(rootDir, path)}`) : '');
    const places = new Map(tests.map((test) => [test, (takesLong(test) ? '0' : '1') + drawn(test)]));
    return [...super.sort(tests)].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }
};

function takesLong({ path }) {
  return WAITS_FOR_MINUTES.test(path) || PROGRAMS.test(readFileSync(path, 'utf8'));
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}
