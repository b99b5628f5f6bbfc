/**
 * Loaded before the built gateway: no request and no call to a store is counted or timed for the metrics. What they
 * cost is the difference. It replaces two functions here because no setting of the gateway may switch metrics off.
 */
const instruments = require.resolve('../../dist/observability/metrics/instruments.js');
const timed = require.resolve('../../dist/observability/metrics/timed.js');
const nothing = () => undefined;

require('../../dist/observability/metrics/instruments.js');
require('../../dist/observability/metrics/timed.js');
replaceIn(instruments, {
  createInstruments: () => ({
    countRequest: nothing,
    countBan: nothing,
    timeDecision: nothing,
    timeStore: () => nothing,
  }),
});
replaceIn(timed, { timed: (store) => store });

/** For all that load the module later: the exports themselves are read-only. */
function replaceIn(path, replacements) {
  const loaded = require.cache[path];
  for (const name of Object.keys(replacements))
    if (!(name in loaded.exports)) throw new Error(`${path} does not export ${name}`);
  loaded.exports = { ...loaded.exports, ...replacements };
}
