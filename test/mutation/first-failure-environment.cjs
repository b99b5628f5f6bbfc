const { TestEnvironment } = require('jest-environment-node');

/** One failed test is enough to notice a mutant: the other tests of its file are skipped. */
module.exports = class FirstFailureEnvironment extends TestEnvironment {
  #failed = false;

  handleTestEvent(event) {
    // Not where a hook fails: the tests under it report that, and must run for it.
    if (event.name === 'test_done' && event.test.errors.length > 0) this.#failed = true;
    if (event.name === 'test_start' && this.#failed) event.test.mode = 'skip';
  }
};
