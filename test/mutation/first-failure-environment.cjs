const { TestEnvironment } = require('jest-environment-node');

/** One failed test is enough to notice a mutant: the other tests of its file are skipped. */
module.exports = class FirstFailureEnvironment extends TestEnvironment {
  #failed = false;

  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.#failed = true;
    if (event.name === 'test_start' && this.#failed) event.test.mode = 'skip';
  }
};
