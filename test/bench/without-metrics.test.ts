import { join } from 'node:path';
import { runProgram } from '../support/run-program.js';

const ROOT = join(__dirname, '../..');
/** What the metrics of a new process say, from the compiled modules that the benchmark starts. */
const EXPOSE = `
  const { createMetrics } = require('./dist/observability/metrics/metrics.js');
  createMetrics((own) => own()).expose().then(console.log);
`;

async function exposedBy(...options: string[]): Promise<string> {
  const { code, output } = await runProgram(process.execPath, [...options, '-e', EXPOSE], { cwd: ROOT });
  expect(code).toBe(0);
  return output;
}

describe('the benchmark of a gateway without metrics', () => {
  test('counts no requests and no calls to stores, which the gateway itself does', async () => {
    const preload = ['--require', './bench/targets/without-metrics.cjs'];
    const counted = /^# TYPE pets_gateway_(requests_total|store_duration_seconds) /m;
    expect(await exposedBy()).toMatch(counted);
    expect(await exposedBy(...preload)).not.toMatch(counted);
  });
});
