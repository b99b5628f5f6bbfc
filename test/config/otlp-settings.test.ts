import { otlpFaults, otlpSettings } from '../../src/config/otlp-settings.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  ['an endpoint', ENDPOINT],
  ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }],
  ['several exporters', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'console, otlp' }],
  ['an SDK that is not disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
])('%s: exports traces', (_what, env) => {
  expect(otlpSettings(env)).toEqual({ timeoutMs: 3000 });
});

test.each([
  ['nothing', {}],
  ['an exporter without an endpoint', { OTEL_TRACES_EXPORTER: 'otlp' }],
  ['no exporter of traces', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ['a disabled SDK', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  ['an endpoint for metrics', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' }],
])('%s: exports no traces', (_what, env) => {
  expect(otlpSettings(env)).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '700' }, 700],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '700', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '80' }, 80],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: 'long' }, 3000],
])('%j: an export can take %d ms', (env, timeoutMs) => {
  expect(otlpSettings({ ...ENDPOINT, ...env })).toEqual({ timeoutMs });
});

test('names what would make every export fail, without values', () => {
  const faults = otlpFaults({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317?password=hunter2',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  });
  expect(faults).toEqual([
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf/),
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/),
  ]);
  expect(faults.join()).not.toContain('hunter2');
});

test('without an export, nothing is a fault', () => {
  expect(otlpFaults({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([]);
});
