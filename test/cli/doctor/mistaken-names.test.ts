import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkMistakenNames } from '../../../src/cli/doctor/mistaken-names.js';
import { SETTINGS } from '../../../src/config/config.js';
import { OTLP_SETTINGS } from '../../../src/config/otlp-settings.js';
import { findUnknownSettings } from '../../../src/config/unknown-settings.js';

const findings = (environment: readonly string[], file: readonly string[] = []) =>
  checkMistakenNames(
    findUnknownSettings([...SETTINGS, ...OTLP_SETTINGS], { environment: [...environment, ...file], file }),
  ).map(({ verdict, finding, remedy = '' }) => `${verdict}: ${finding}. ${remedy}`);
const NOTHING = ['ok: no name looks mistyped. '];

test.each([
  ['GRAPHQL_OPERATION_FILE', 'GRAPHQL_OPERATIONS_FILE'],
  ['GRAPHQL_OPERATIONS_REQUIERD', 'GRAPHQL_OPERATIONS_REQUIRED'],
  ['MONGO_URI', 'MONGODB_URI'],
  ['MONGODB_URL', 'MONGODB_URI'],
  ['REDIS_URI', 'REDIS_URL'],
  ['TRUST_PROXYS', 'TRUST_PROXY'],
  ['WORKER', 'WORKERS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['OTEL_EXPORTER_OLTP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
])('%s is taken for %s, wherever it stands', (name, setting) => {
  expect(findings([name])).toEqual([`warning: ${name} is not a setting. Did you mean ${setting}?`]);
  expect(findings([], [name])).toEqual([
    `warning: ${name} in .env is not a setting. Did you mean ${setting}?`,
  ]);
});

test('a setting that has a value is not looked for under other names', () => {
  expect(findings(['REDIS_URL', 'REDIS_URI'])).toEqual(NOTHING);
});

test('ignores names of other programs in the environment', () => {
  const names = [
    ...['PATH', 'HOME', 'HOSTNAME', 'POST', 'SORT', 'HTTP_HOST', 'HTTP_PROXY', 'HTTPS_PROXY', 'NODE_ENV'],
    ...[
      'REDIS_HOST',
      'REDIS_PORT',
      'MONGODB_PORT',
      'MONGODB_SERVICE_HOST',
      'PETS_GATEWAY_PORT',
      'KEY_CACHE_TTL',
    ],
    ...[
      'XDG_CACHE_HOME',
      'XDG_DATA_DIRS',
      'LOG_FORMAT',
      'METRICS_PATH',
      'PUBLIC_KEY',
      'BAN',
      'DNS_SERVER_IP',
    ],
    ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'npm_config_cache', 'APP_NAME'],
  ];
  expect(findings(names)).toEqual(NOTHING);
});

test('reports each name in .env that is no setting, except those of other programs', () => {
  expect(findings([], ['KEY_CACHE_TTL', 'NODE_OPTIONS', 'PORT'])).toEqual([
    'warning: KEY_CACHE_TTL in .env is not a setting. Remove it, or see .env.example for all settings.',
  ]);
  const example = readFileSync(join(__dirname, '../../../.env.example'), 'utf8');
  const names = Array.from(example.matchAll(/^(?:# )?([A-Z_]+)=/gm), ([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(findings([], names)).toEqual(NOTHING);
});
