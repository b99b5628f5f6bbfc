/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/compile-once.cjs',
  runtime: '<rootDir>/test/support/load-once.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // Not crawled for modules and tests. Imports of packages do not go through this map.
  modulePathIgnorePatterns: ['<rootDir>/test/node_modules/'],
  transform: {
    '^.+\\.ts$': '<rootDir>/test/support/jest-transform.cjs',
    '^.+\\.yaml$': '<rootDir>/test/support/yaml-transform.cjs',
  },
  setupFilesAfterEnv: ['<rootDir>/test/support/must-look.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Sources name their imports as they are once built: './pet.js'.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Tests wait much: for stores, for processes, for time to pass.
  maxWorkers: 2,
  // What Node has not collected of the files before does not grow without bound.
  workerIdleMemoryLimit: '1GB',
  // No measurement: it only ends a test that would never end, and no slow machine needs as long.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/test/support/file-order.cjs',
};
