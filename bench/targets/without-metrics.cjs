/**
 * Loaded before the built gateway: no request and no call to a store is counted or timed for the metrics. What they
 * cost is the difference. It replaces two functions here because no setting of the gateway may switch metrics off.
 */
const nothing = () => undefined;

replaceIn('instruments.js', {
  createInstruments: () => ({
    countRequest: nothing,
    countBan: nothing,
    timeDecision: nothing,
    timeStore: () => nothing,
  }),
});
replaceIn('timed.js', { timed: (store) => store });

/** For all that load the module later: the exports themselves are read-only. */
function replaceIn(file, replacements) {
  const path = require.resolve(`../../dist/observability/metrics/${file}`);
  const exported = require(path);
  for (const name of Object.keys(replacements))
    if (!(name in exported)) throw new Error(`${path} does not export ${name}`);
  require.cache[path].exports = { ...exported, ...replacements };
}
