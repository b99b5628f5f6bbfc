/**
 * A test that expects nothing fails: it would pass whatever happens. The suites in a browser are left out: there,
 * waiting for what the page shows is the expectation, and it fails by itself.
 */
beforeEach(() => {
  const { testPath = '' } = expect.getState();
  if (!/\/test\/(?:dashboard-full|domains-full)\//.test(testPath)) expect.hasAssertions();
});
