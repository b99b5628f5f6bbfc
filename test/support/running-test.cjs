/**
 * Stands in for the AsyncLocalStorage in which Jest keeps the test or hook that runs, so that it knows whose an error
 * is. Jest never disables its storages, and makes one for each test file: Node before 24 then follows every promise of
 * the process once for each of the files so far. The tests of a file run one after the other (none is
 * `test.concurrent`), so the last one that began is the one that runs. An error that arrives after the end of its test
 * fails the test that runs then.
 */
module.exports = class RunningTest {
  #current;

  getStore() {
    return this.#current;
  }

  run(store, callback) {
    const before = this.#current;
    const leave = () => {
      this.#current = before;
    };
    this.#current = store;
    let result;
    try {
      result = callback();
    } catch (error) {
      leave();
      throw error;
    }
    if (typeof result?.then === 'function') return result.finally(leave);
    leave();
    return result;
  }
};
