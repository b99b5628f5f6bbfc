import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig, SETTINGS } from '../../src/config/config.js';
import { VERSION } from '../../src/lib/version.js';
import { envFile } from '../support/env-file.js';

const ROOT = join(__dirname, '../..');
const KUBERNETES = join(ROOT, 'deploy/kubernetes');

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const yaml = (...path: string[]): unknown => parse(read(...path), { merge: true });

interface Compose {
  services: Record<
    string,
    {
      env_file?: { path: string; required: boolean }[];
      environment?: Record<string, string>;
      ports?: string[];
      secrets?: (string | { source: string; target: string })[];
      stop_grace_period?: string;
      read_only?: boolean;
    }
  >;
  secrets: Record<string, { file: string }>;
}
interface Deployment {
  spec: {
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: {
          ports: { name: string; containerPort: number }[];
          lifecycle: { preStop: { sleep: { seconds: number } } };
          resources: { requests: { cpu: string } };
        }[];
      };
    };
  };
}
interface Kustomization {
  configMapGenerator: { literals?: string[] }[];
  images: { newTag: string }[];
  patches: { target: { kind: string }; patch: string }[];
}

const base = envFile(join(KUBERNETES, 'base/gateway.env'));
const domains = envFile(join(KUBERNETES, 'components/domains/domains.env'));
const secret = (yaml(KUBERNETES, 'secret.example.yaml') as { stringData: Record<string, string> }).stringData;
const { services, secrets } = yaml(ROOT, 'docker-compose.yml') as Compose;
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway'));
const deployment = (yaml(KUBERNETES, 'base/deployment.yaml') as Deployment).spec.template.spec;
const [container] = deployment.containers;
const example = yaml(KUBERNETES, 'example/kustomization.yaml') as Kustomization;
const exampleSettings = Object.fromEntries(
  (example.configMapGenerator[0]?.literals ?? []).map((literal) => literal.split('=') as [string, string]),
);

describe('what the manifests set', () => {
  test.each<[string, Record<string, string>]>([
    ['gateway.env', base],
    ['domains.env', domains],
    ['secret.example.yaml', secret],
    ['the example', exampleSettings],
    ...gateways.map(([name, { environment = {} }]): [string, Record<string, string>] => [
      `docker-compose.yml, ${name}`,
      environment,
    ]),
  ])('%s: every name is a setting', (_name, settings) => {
    expect(Object.keys(settings).length).toBeGreaterThan(0);
    expect(Object.keys(settings).filter((name) => !SETTINGS.includes(name))).toEqual([]);
  });

  test('the gateway takes it', () => {
    const key = `1:${Buffer.alloc(32).toString('base64')}`;
    expect(parseConfig({ ...base, ...secret })).toMatchObject({ port: 3000, metricsPort: 9464 });
    expect(parseConfig({ ...base, ...secret, ...domains, KEY_ENCRYPTION_KEYS: key })).toMatchObject({
      httpPort: 8080,
      httpsPort: 8443,
    });
  });

  test('secrets have no value in a file', () => {
    expect(Object.values(secret).filter((value) => value !== '')).toEqual([]);
    const public_ = Object.keys({ ...base, ...domains, ...exampleSettings });
    expect(public_.filter((name) => name in secret)).toEqual([]);
  });

  test('ports of the pods are those that the gateway listens at', () => {
    const patch = yaml(KUBERNETES, 'components/domains/deployment-ports.yaml') as Deployment;
    const { containers } = patch.spec.template.spec;
    const ports = [...(container?.ports ?? []), ...(containers[0]?.ports ?? [])];
    expect(Object.fromEntries(ports.map(({ name, containerPort }) => [name, String(containerPort)]))).toEqual(
      {
        http: base['PORT'],
        metrics: base['METRICS_PORT'],
        'visitors-http': domains['HTTP_PORT'],
        'visitors-https': domains['HTTPS_PORT'],
      },
    );
  });
});

describe('what compose gives to a gateway', () => {
  const example = envFile(join(ROOT, '.env.example'));
  const folder = mkdtempSync(join(tmpdir(), 'pets-gateway-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const createSecrets = () => execFileSync(join(ROOT, 'deploy/create-secrets'), [folder]);
  beforeAll(createSecrets);

  /** The files that the service sees in /run/secrets, and where they are on this machine. */
  const secretsOf = (name: string) =>
    new Map<string, string>(
      (services[name]?.secrets ?? []).map((secret) => {
        const { source, target } = typeof secret === 'string' ? { source: secret, target: secret } : secret;
        return [`/run/secrets/${target}`, secrets[source]?.file.replace('./secrets', folder) ?? ''] as const;
      }),
    );
  /** What is in the container when each file that the service names has these lines. */
  const given = (name: string, lines: Record<string, string>) => {
    const { env_file: files = [], environment = {} } = services[name] ?? {};
    const mounted = secretsOf(name);
    const pinned = Object.entries(environment).map(([key, value]): [string, string] => [
      key,
      mounted.get(value) ??
        value.replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => lines[variable] ?? ''),
    ]);
    return { ...(files.length > 0 && lines), ...Object.fromEntries(pinned) };
  };
  const secretValues = () => readdirSync(folder).map((file) => read(folder, file));

  test('create-secrets creates each file once; only its user can open the folder, and any user of a container the file', () => {
    const before = secretValues();
    expect(Object.keys(secrets).toSorted()).toEqual(readdirSync(folder).toSorted());
    expect(new Set(before).size).toBe(before.length);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o644);
    createSecrets();
    expect(secretValues()).toEqual(before);
  });

  test('no service of production gets a secret of staging, no gateway the password of root, and no environment has any', () => {
    const sources = (name: string) =>
      (services[name]?.secrets ?? []).map((secret) => (typeof secret === 'string' ? secret : secret.source));
    expect(sources('gateway').filter((name) => /staging|root|grafana/.test(name))).toEqual([]);
    expect(sources('gateway-staging').filter((name) => !name.endsWith('-staging'))).toEqual([]);
    const stores = {
      mongodb: sources('mongodb'),
      redis: sources('redis'),
      staging: sources('redis-staging'),
    };
    expect(stores).toEqual({ mongodb: [], redis: ['redis.conf'], staging: ['redis-staging.conf'] });
    const environments = JSON.stringify(Object.values(services).map(({ environment }) => environment));
    expect(environments).not.toMatch(/\$\{\w*(?:PASSWORD|KEY|URI|URL)/);
  });

  test('a secret in .env beside the one in the file stops the start', () => {
    const lines = { ...example, ADMIN_API_KEY: 'an-admin-key-of-an-operator' };
    expect(() => parseConfig(given('gateway', lines))).toThrow(
      'ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set',
    );
  });

  test('every line of .env, and of .env.staging for staging; neither has to be there', () => {
    expect(gateways.map(([name, { env_file: files }]) => [name, files])).toEqual([
      ['gateway', [{ path: '.env', required: false }]],
      ['gateway-staging', [{ path: '.env.staging', required: false }]],
    ]);
  });

  test.each(gateways.map(([name]) => name))('%s: every setting of .env.example, or its own', (name) => {
    const arriving = given(name, {
      ...example,
      AUDIT_RETENTION_DAYS: '30',
      LOG_ADDRESSES: 'full',
      WORKERS: '2',
    });
    expect(SETTINGS.filter((setting) => !(setting in arriving))).toEqual([]);
    expect(parseConfig(arriving)).toMatchObject({
      auditRetentionDays: 30,
      requestLog: { addresses: 'full' },
      workers: 2,
    });
  });

  test.each(gateways.map(([name]) => name))('%s: what the other containers count on stays', (name) => {
    const own = { HOST: '127.0.0.1', PORT: '4000', METRICS_HOST: '127.0.0.1', METRICS_PORT: '4001' };
    const stores = {
      MONGODB_URI: 'mongodb://elsewhere/pets',
      REDIS_URL: 'redis://elsewhere',
      TRUST_PROXY: '',
    };
    const lines = { ...example, ...own, ...stores };
    expect(parseConfig(given(name, lines))).toMatchObject({
      host: '0.0.0.0',
      port: 3000,
      metricsHost: '0.0.0.0',
      metricsPort: 9464,
      mongodbUri: expect.stringContaining('@mongodb:27017/') as string,
      redisUrl: expect.stringContaining(name === 'gateway' ? '@redis:6379' : '@redis-staging:6379') as string,
      trustProxy: ['uniquelocal'],
      environment: name === 'gateway' ? 'production' : 'staging',
    });
  });
});

describe('what depends on each other', () => {
  /** serve-workers.ts gives workers so long to close their stores, beyond the requests under way. */
  const CLOSE_SECONDS = 5;
  const graceSeconds = parseConfig(base).shutdownGraceMs / 1000;

  test('a pod is killed only after all that its end may take', () => {
    const preStopSeconds = container?.lifecycle.preStop.sleep.seconds ?? 0;
    expect(preStopSeconds).toBeGreaterThan(0);
    expect(deployment.terminationGracePeriodSeconds).toBeGreaterThan(
      preStopSeconds + graceSeconds + CLOSE_SECONDS,
    );
  });

  test('compose waits as long as well', () => {
    for (const [, { stop_grace_period: period = '' }] of gateways)
      expect(parseInt(period)).toBeGreaterThan(graceSeconds + CLOSE_SECONDS);
  });

  test('QUOTA_NODES is the largest number of pods: in an outage they never admit more than a limit', () => {
    const { spec } = yaml(KUBERNETES, 'base/horizontal-pod-autoscaler.yaml') as {
      spec: { maxReplicas: number };
    };
    expect(base['QUOTA_NODES']).toBe(String(spec.maxReplicas));
    const patched = example.patches.find(({ target }) => target.kind === 'HorizontalPodAutoscaler');
    expect(parse(patched?.patch ?? '')).toEqual([
      { op: 'replace', path: '/spec/maxReplicas', value: Number(exampleSettings['QUOTA_NODES']) },
    ]);
  });

  test('a core is asked for each of WORKERS', () => {
    expect(container?.resources.requests.cpu).toBe(base['WORKERS']);
  });

  test('every container has limits and no privileges, and its log has an end', () => {
    for (const service of Object.values(services))
      expect(service).toMatchObject({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/) as string,
        pids_limit: 512,
        logging: { options: { 'max-size': '10m', 'max-file': '5' } },
      });
    const writable = Object.entries(services).filter(([, service]) => service.read_only !== true);
    expect(writable.map(([name]) => name)).toEqual(['grafana']);
  });

  test('the image is of this version', () => {
    expect(read(ROOT, 'Dockerfile')).toContain(`ARG VERSION=${VERSION}\n`);
    const { images } = yaml(KUBERNETES, 'base/kustomization.yaml') as Kustomization;
    expect([...images, ...example.images].map(({ newTag }) => newTag)).toEqual([VERSION, VERSION]);
  });

  test('the metrics without a key are reachable inside alone: no port, Service or Ingress leads there', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    expect(published.filter((port) => port.endsWith(`:${base['METRICS_PORT'] ?? ''}`))).toEqual([]);
    const files = readdirSync(KUBERNETES, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.yaml'),
    );
    const leading = files.filter((file) =>
      parseAllDocuments(read(KUBERNETES, file))
        .map((document) => document.toJS() as { kind?: string })
        .filter(({ kind }) => kind === 'Service' || kind === 'Ingress')
        .some((resource) => /"metrics"|9464/.test(JSON.stringify(resource))),
    );
    expect(leading.map((file) => relative(ROOT, file))).toEqual([]);
  });
});
