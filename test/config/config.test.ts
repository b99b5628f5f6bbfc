import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, SETTINGS } from '../../src/config/config.js';
import { ConfigError } from '../../src/config/config-error.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('settings', () => {
  test('without settings, every default is usable', () => {
    const config = parseConfig({});
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      environment: 'production',
      seedDemo: true,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('an empty value counts as unset, as compose files pass it', () => {
    expect(parseConfig({ PORT: '', MONGODB_URI: '', ADMIN_API_KEY: '' })).toEqual(parseConfig({}));
  });

  test('one error names all faults, and repeats no value', () => {
    const env = {
      PORT: 'eighty',
      APP_ENV: 'test',
      MONGODB_URI: 'postgres://user:hunter2@host',
      BAN_SECONDS: '0',
    };
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual(Object.keys(env).toSorted());
    expect(faults.join()).not.toContain('hunter2');
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['ADMIN_API_KEY', 'too short'],
    ['TRUST_PROXY', 'the-proxy'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['SEED_DEMO', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['QUOTA_NODES', '0'],
    ['PUBLIC_URL', 'api.example.com'],
    ['PUBLIC_URL', 'ftp://api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/v1'],
    ['PUBLIC_URL', 'https://user@api.example.com'],
    ['PLATFORM_HOST', 'https://pets.example.net'],
    ['PLATFORM_HOST', 'pets.example.net:8080'],
    ['PLATFORM_HOST', '*.example.net'],
    ['PLATFORM_HOST', '127.0.0.1'],
    ['PLATFORM_HOST', 'pets.example.net.'],
    ['HTTP_PORT', '0'],
    ['HTTPS_PORT', 'https'],
    ['ACME_DIRECTORY_URL', 'http://ca.example/directory'],
    ['PLATFORM_ADDRESSES', '203.0.113.5:443'],
    ['ACME_CONTACT', 'mailto:ops@example.com'],
    ['ACME_CA_FILE', '/no/such/file.pem'],
    ['KEY_ENCRYPTION_KEYS', '1:c2hvcnQ='],
    ['DNS_SERVERS', '192.0.2.1,dns.example'],
    ['PLATFORM_TLS_CERT_FILE', '/no/such/file.pem'],
    ['HSTS_SECONDS', '-1'],
    ['HTTP2', '2'],
  ])('rejects %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  test.each([
    ['https://api.example.com', 'pets.example.net'],
    ['https://api.example.com/', 'Pets.Example.NET'],
    ['https://example.co.uk', 'example2.co.uk'],
    // An operator who lists the platform's host as a public suffix turns each name below it into a site.
    ['https://www.github.com', 'github.io'],
    ['http://127.0.0.1:3000', 'pets.localhost'],
    ['http://localhost:3000', 'pets.localhost'],
    ['http://[::1]:3000', 'pets.localhost'],
  ])('PUBLIC_URL=%s with PLATFORM_HOST=%s', (publicUrl, platformHost) => {
    expect(parseConfig({ PUBLIC_URL: publicUrl, PLATFORM_HOST: platformHost })).toMatchObject({
      publicUrl: publicUrl.replace(/\/$/, ''),
      platformHost: platformHost.toLowerCase(),
    });
  });

  test.each([
    ['is the same host', 'https://pets.example.net', 'pets.example.net'],
    ['is under it', 'https://api.pets.example.net', 'pets.example.net'],
    ['is above it', 'https://example.net', 'pets.example.net'],
    ['is beside it', 'https://api.example.net', 'pets.example.net'],
    ['is beside it, under a suffix of two labels', 'https://api.example.co.uk', 'pets.example.co.uk'],
    ['is the same, for a machine of its own', 'http://localhost:3000', 'localhost'],
    ['is under it, for a machine of its own', 'http://api.pets.localhost:3000', 'pets.localhost'],
    ['has another port only', 'http://pets.localhost:8080', 'pets.localhost'],
    ['is not given', '', 'pets.example.net'],
  ])('rejects a PUBLIC_URL that %s: %s with PLATFORM_HOST=%s', (_how, publicUrl, platformHost) => {
    expect(faultsOf({ PUBLIC_URL: publicUrl, PLATFORM_HOST: platformHost })).toEqual([
      expect.stringContaining('PUBLIC_URL'),
    ]);
  });

  const published = { PUBLIC_URL: 'https://api.example.com', PLATFORM_HOST: 'pets.example.net' };
  const encryptionKey = `1:${Buffer.alloc(32, 7).toString('base64')}`;

  test('what custom domains need', () => {
    const config = parseConfig({
      ...published,
      HTTP_PORT: '80',
      HTTPS_PORT: '443',
      ACME_DIRECTORY_URL: 'https://ca.example/directory',
      ACME_PROFILE: 'tlsserver',
      ACME_CONTACT: 'ops@example.com, more@example.com',
      ACME_CA_FILE: __filename,
      KEY_ENCRYPTION_KEYS: encryptionKey,
      DNS_SERVERS: '192.0.2.1, [2001:db8::1]:5353',
      DOMAIN_GRACE_DAYS: '2',
      PLATFORM_ADDRESSES: '203.0.113.5, 2001:DB8:0::5',
    });
    expect(config).toMatchObject({
      httpPort: 80,
      httpsPort: 443,
      acme: {
        directoryUrl: 'https://ca.example/directory',
        profile: 'tlsserver',
        contact: ['mailto:ops@example.com', 'mailto:more@example.com'],
        caFile: __filename,
      },
      encryptionKeys: [{ id: '1', secret: Buffer.alloc(32, 7) }],
      dnsServers: ['192.0.2.1', '[2001:db8::1]:5353'],
      domainGraceMs: 172_800_000,
      platformAddresses: ['203.0.113.5', '2001:db8::5'],
      hstsSeconds: 0,
    });
  });

  test.each([
    ['letsencrypt', 'https://acme-v02.api.letsencrypt.org/directory'],
    ['letsencrypt-staging', 'https://acme-staging-v02.api.letsencrypt.org/directory'],
  ])('ACME_DIRECTORY_URL=%s is %s', (name, directoryUrl) => {
    const env = { ...published, ACME_DIRECTORY_URL: name, KEY_ENCRYPTION_KEYS: encryptionKey };
    expect(parseConfig(env)).toMatchObject({ acme: { directoryUrl } });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'an authority without keys to encrypt with',
      { ...published, ACME_DIRECTORY_URL: 'https://ca.example' },
      /^ACME_DIRECTORY_URL requires KEY_ENC/,
    ],
    [
      'HTTPS without any certificate',
      { ...published, HTTPS_PORT: '443' },
      /^HTTPS_PORT .*ACME.*PLATFORM_TLS/,
    ],
    ['a public port of none', { ...published, PUBLIC_HTTPS_PORT: '443' }, /^PUBLIC_HTTPS_PORT .* HTTPS_PORT/],
    [
      'addresses of no published sites',
      { PLATFORM_ADDRESSES: '203.0.113.5' },
      /^PLATFORM_ADDRESSES .*PLATFORM_HOST/,
    ],
    ['visitors and no published sites', { HTTP_PORT: '80' }, /^HTTP_PORT .*PLATFORM_HOST/],
    [
      'a certificate without its key',
      { PLATFORM_TLS_CERT_FILE: __filename },
      /KEY_FILE must be set together/,
    ],
  ])('%s: one fault', (_what, env, fault) => {
    expect(faultsOf(env)).toEqual([expect.stringMatching(fault)]);
  });

  test('names each fault of a list of encryption keys, and none of the keys', () => {
    const faults = faultsOf({ KEY_ENCRYPTION_KEYS: `${encryptionKey},${encryptionKey},hunter2` });
    expect(faults).toHaveLength(3);
    expect(faults.every((fault) => fault.startsWith('KEY_ENCRYPTION_KEYS entry '))).toBe(true);
    expect(faults.join()).not.toMatch(/hunter2|BwcH/);
  });

  test('rejects a maximum ban that is shorter than the first ban', () => {
    expect(faultsOf({ BAN_SECONDS: '100', BAN_MAX_SECONDS: '50' })).toHaveLength(1);
  });
});

test('rejects a metrics port that the gateway already uses', () => {
  expect(faultsOf({ METRICS_PORT: '3000' })).toEqual([
    'METRICS_PORT must differ from PORT, HTTP_PORT and HTTPS_PORT',
  ]);
  expect(parseConfig({ METRICS_PORT: '9464' }).metricsPort).toBe(9464);
});

test("keeps downloads in the user's cache folder of the system", () => {
  expect(parseConfig({ XDG_CACHE_HOME: '/var/cache/u' }).cacheDir).toBe('/var/cache/u/pets-gateway');
  expect(parseConfig({ XDG_CACHE_HOME: '/var/cache/u', CACHE_DIR: '/srv' }).cacheDir).toBe('/srv');
});

describe('secrets in files', () => {
  const folder = useTemporaryFolder();
  const fileOf = (content: string) => {
    const path = join(folder(), 'secret');
    writeFileSync(path, content);
    return path;
  };

  test.each([
    ['MONGODB_URI', 'mongodb://pets:hunter2@db.example.net/pets'],
    ['REDIS_URL', 'redis://:hunter2@redis.example.net:6379'],
    ['ADMIN_API_KEY', 'an-admin-key-of-an-operator'],
    ['KEY_ENCRYPTION_KEYS', `1:${Buffer.alloc(32).toString('base64')}`],
  ])('%s_FILE: the gateway reads the value there, without the end of the line', (name, value) => {
    expect(parseConfig({ [`${name}_FILE`]: fileOf(`${value}\n`) })).toEqual(parseConfig({ [name]: value }));
  });

  test('a value that is not valid is named as in the environment, and not repeated', () => {
    const faults = faultsOf({ MONGODB_URI_FILE: fileOf('postgres://user:hunter2@host') });
    expect(faults).toEqual(['MONGODB_URI must be a mongodb:// or mongodb+srv:// URI']);
  });

  test('a file that is missing or empty never counts as unset, and one error names all faults', () => {
    const env = { MONGODB_URI_FILE: '/nowhere/uri', REDIS_URL_FILE: fileOf('\n'), PORT: 'eighty' };
    expect(faultsOf(env)).toEqual([
      'MONGODB_URI_FILE names a file that the gateway cannot read',
      'REDIS_URL_FILE names an empty file',
      expect.stringMatching(/^PORT /),
    ]);
  });

  test('an ADMIN_API_KEY that could be guessed is a fault, which says how to make a good one', () => {
    expect(faultsOf({ ADMIN_API_KEY: 'x'.repeat(23) })).toEqual([
      'ADMIN_API_KEY must be 24 to 255 visible ASCII characters without spaces; make one with `openssl rand -hex 32`',
    ]);
    expect(parseConfig({ ADMIN_API_KEY: 'x'.repeat(24) }).adminApiKey).toHaveLength(24);
  });

  test('a secret that is given twice is a fault, whichever would win', () => {
    const env = {
      ADMIN_API_KEY: 'an-admin-key-of-24-characters',
      ADMIN_API_KEY_FILE: fileOf('an-admin-key-of-24-characters'),
    };
    expect(faultsOf(env)).toEqual(['ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set: remove one of them']);
    expect(parseConfig({ ...env, ADMIN_API_KEY: '' }).adminApiKey).toBe('an-admin-key-of-24-characters');
  });
});

describe('.env.example', () => {
  const text = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
  const lines = text.split('\n').filter((line) => /^[A-Z0-9_]+=/.test(line));
  const example: Record<string, string> = Object.fromEntries(
    lines.map((line): [string, string] => {
      const [name = '', value = ''] = line.split('=', 2);
      return [name, value];
    }),
  );

  test('lists every setting, and nothing else', () => {
    expect(Object.keys(example).toSorted()).toEqual(SETTINGS.toSorted());
  });

  test('an unchanged copy equals no settings', () => {
    expect(parseConfig(example)).toEqual(parseConfig({}));
  });
});
