import { parts } from './test/mutation/parts.mjs';

/** `npm run test:mutation` runs this once for each part; without one, for all of them together. */
const name = process.env.MUTATED_PART;
const chosen = name === undefined ? Object.values(parts) : [parts[name]];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: chosen.flatMap(({ mutate }) => mutate),
  testRunner: 'jest',
  jest: {
    configFile: 'jest.config.cjs',
    enableFindRelatedTests: false,
    config: {
      testMatch: chosen.flatMap(({ tests }) => tests.map((pattern) => `<rootDir>/${pattern}`)),
      testEnvironment: './test/mutation/first-failure-environment.cjs',
      // Many a mutant never answers.
      testTimeout: 5000,
    },
  },
  coverageAnalysis: 'perTest',
  // A constant of a module takes a new process for each of its mutants, and is what tests name most often anyway.
  ignoreStatic: true,
  concurrency: 2,
  // Endless loops are found by counting what they pass; a busy machine must not pass for one.
  timeoutMS: 60_000,
  thresholds: { high: 95, low: 85, break: 85 },
  reporters: ['clear-text', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
  htmlReporter: { fileName: `coverage/mutation/${name ?? 'all'}.html` },
  tempDirName: 'coverage/mutants',
  cleanTempDir: 'always',
  ignorePatterns: ['/coverage', '/dist', '/.data'],
  allowConsoleColors: false,
};
