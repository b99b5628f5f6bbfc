/**
 * Counts Jest's JSON results: what did not run is not a success. When Jest failed without a single failure to show
 * (no results at all, a failed global setup, something left open), that counts as one.
 */
export function countResults(results, exitCode) {
  if (results === undefined) return { passed: 0, failed: 1 };
  const failed =
    results.numFailedTests +
    results.numPendingTests +
    results.numTodoTests +
    results.numRuntimeErrorTestSuites;
  return { passed: results.numPassedTests, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}
