import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import {
  DOCUMENTED_PROXIES,
  startDocumentedProxy,
  type ProxyAnswer,
  type ProxyName,
  type ProxyRequest,
  type RunningProxy,
} from '../support/documented-proxies.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { tapGateway, type Tap } from '../support/gateway-tap.js';
import { useGateway } from '../support/gateway.js';
import { chooseFreePort } from '../support/free-port.js';
import { AMPLE } from '../support/rest-client.js';
import { runProgram } from '../support/run-program.js';
import { until } from '../support/until.js';

const authorized = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** What docs/proxy.md says of each proxy. */
const PROMISES: Record<
  ProxyName,
  { closesKeptConnections: boolean; overHttp2: number | string; sendsReads: number }
> = {
  nginx: { closesKeptConnections: false, overHttp2: 503, sendsReads: 2 },
  HAProxy: { closesKeptConnections: true, overHttp2: 'NGHTTP2_REFUSED_STREAM', sendsReads: 1 },
  // Go's HTTP client sends a read again for as long as it finds kept connections: here, few; without lb_retry_match, 10.
  Caddy: { closesKeptConnections: false, overHttp2: 503, sendsReads: 5 },
  Apache: { closesKeptConnections: true, overHttp2: 500, sendsReads: 1 },
};

/** An Error object that makes clients retry, of the proxy or of a gateway that starts or has too much to do. */
function expectRetriable({ status, headers, body }: ProxyAnswer): void {
  expect([502, 503, 504]).toContain(status);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(JSON.parse(body)).toMatchObject({ code: 'service_unavailable', status });
}

describe('a gateway that dies between carrying a request out and answering it', () => {
  const gateway = useGateway({ env: { TRUST_PROXY: 'loopback' } });
  let secret: string;
  beforeAll(async () => {
    ({ secret } = await gateway.keyOn('enterprise', AMPLE));
  });

  const namesOf = async () => {
    const answer = await gateway.request('/v1/pets?limit=100', { key: secret });
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  };
  const petsNamed = async (wanted: string) => (await namesOf()).filter((name) => name === wanted).length;
  const create = (name: string, headers: Record<string, string> = {}): ProxyRequest => ({
    method: 'POST',
    headers: { ...authorized(secret), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name, categoryId: 7 }),
  });

  describe.each(DOCUMENTED_PROXIES)('behind %s', (name) => {
    let tap: Tap;
    let proxy: RunningProxy;
    beforeAll(async () => {
      tap = await tapGateway(gateway.url);
      proxy = await startDocumentedProxy(name, tap.hosts);
    });
    afterAll(async () => {
      await proxy.close();
      await tap.close();
    });

    // nginx leaves out a gateway for a second after its connection broke.
    beforeEach(() =>
      until(`a gateway behind ${name}`, async () => {
        const { status } = await proxy.ask('/v1/pets', { headers: authorized(secret) });
        return status === 200;
      }),
    );

    const sent = (method: string) =>
      tap.requests.filter(({ head }) => head.startsWith(`${method} /v1/pets `)).length;

    test('a create is not sent twice, and Idempotency-Key makes the retry safe', async () => {
      const pet = create(`created behind ${name}`, { 'idempotency-key': `create-${name}` });
      const before = sent('POST');
      tap.loseResponses('POST', 1);
      expectRetriable(await proxy.ask('/v1/pets', pet));
      tap.loseResponses('POST', 0);
      expect(sent('POST') - before).toBe(1);

      const retried = await proxy.ask('/v1/pets', pet);
      expect([retried.status, retried.headers['idempotency-replayed']]).toEqual([201, 'true']);
      expect(await petsNamed(`created behind ${name}`)).toBe(1);
    });

    test(`a read is sent ${PROMISES[name].sendsReads} times at most, and answered so that clients retry`, async () => {
      const before = sent('GET');
      tap.loseResponses('GET', 100);
      const answer = await proxy.ask('/v1/pets', { headers: authorized(secret) });
      tap.loseResponses('GET', 0);
      expectRetriable(answer);
      expect(sent('GET') - before).toBeLessThanOrEqual(PROMISES[name].sendsReads);
    });

    test('a client that keeps its connection gets what docs/proxy.md says', async () => {
      const agent = proxy.keepingAgent();
      await proxy.ask('/v1/pets', { headers: authorized(secret), agent });
      tap.loseResponses('POST', 1);
      const asked = proxy.ask('/v1/pets', { ...create(`kept behind ${name}`), agent });
      if (PROMISES[name].closesKeptConnections) await expect(asked).rejects.toThrow('socket hang up');
      else expectRetriable(await asked);
      tap.loseResponses('POST', 0);
      agent.destroy();
      expect(await petsNamed(`kept behind ${name}`)).toBe(1);
    });

    test(`over a kept HTTP/2 connection, a create gets ${PROMISES[name].overHttp2}`, async () => {
      const session = connect(`https://127.0.0.1:${proxy.port}`, {
        ca: readFileSync(proxy.ca),
        servername: 'localhost',
      });
      const ask = async (method: string, body?: string) => {
        const stream = session.request({
          ...{ ':method': method, ':path': '/v1/pets', ':authority': proxy.host },
          ...{ ...authorized(secret), ...(body && { 'content-type': 'application/json' }) },
        });
        stream.end(body);
        const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
        return { headers, body: await text(stream) };
      };
      const read = await ask('GET');
      expect(read.headers[':status']).toBe(200);
      tap.loseResponses('POST', 1);
      const before = sent('POST');
      const outcome = await ask('POST', JSON.stringify({ name: 'over HTTP/2', categoryId: 7 })).then(
        ({ headers, body }) => [headers[':status'], headers['content-type'], JSON.parse(body) as unknown],
        (error: unknown) => String(error),
      );
      tap.loseResponses('POST', 0);
      session.close();
      const { overHttp2 } = PROMISES[name];
      expect(outcome).toEqual(
        typeof overHttp2 === 'string'
          ? expect.stringContaining(overHttp2)
          : [overHttp2, 'application/json', expect.objectContaining({ status: overHttp2 })],
      );
      expect(sent('POST') - before).toBe(1);
    });

    test.each([
      ['without', PROMISES[name].closesKeptConnections ? 2 : 1],
      ['with', 1],
    ])('curl on a kept connection, %s Idempotency-Key: %i animals', async (how, animals) => {
      const pet = `by curl behind ${name} ${how} a key`;
      const url = `https://${proxy.host}/v1/pets`;
      const way = ['--cacert', proxy.ca, '--connect-to', `${proxy.host}:127.0.0.1:${proxy.port}`];
      expect(await curl(tap, url, secret, pet, how === 'with', way)).toBe(
        PROMISES[name].closesKeptConnections ? '200 201' : `200 ${name === 'Apache' ? 502 : 503}`,
      );
      expect(await petsNamed(pet)).toBe(animals);
    });
  });

  test.each([
    ['without', 2],
    ['with', 1],
  ])('without a proxy, curl on a kept connection, %s Idempotency-Key: %i animals', async (how, animals) => {
    const tap = await tapGateway(gateway.url);
    const pet = `by curl alone ${how} a key`;
    const statuses = await curl(tap, `http://${tap.hosts[0]}/v1/pets`, secret, pet, how === 'with');
    await tap.close();
    expect(statuses).toBe('200 201');
    expect(await petsNamed(pet)).toBe(animals);
  });
});

/** A read and then a create on one connection; the response to the create is lost. Returns the statuses that curl saw. */
async function curl(
  tap: Tap,
  url: string,
  secret: string,
  pet: string,
  hasKey: boolean,
  way: readonly string[] = [],
): Promise<string> {
  tap.loseResponses('POST', 1);
  const common = ['--silent', '--http1.1', ...way, '--output', '/dev/null'];
  common.push('--header', `Authorization: Bearer ${secret}`);
  const { output } = await runProgram('curl', [
    ...[...common, '--write-out', '%{http_code} ', url, '--next'],
    ...[...common, '--write-out', '%{http_code}', '--header', 'Content-Type: application/json'],
    ...(hasKey ? ['--header', `Idempotency-Key: ${randomUUID()}`] : []),
    ...['--data', JSON.stringify({ name: pet, categoryId: 7 }), url],
  ]);
  tap.loseResponses('POST', 0);
  return output;
}

describe('gateway processes', () => {
  const KEY = 'an-admin-key-for-the-test-of-processes';
  let database: TestDatabase;
  let ports: [number, number];
  let processes: GatewayProcess[];
  let proxies: RunningProxy[];
  beforeAll(async () => {
    database = freshDatabase();
    ports = [await chooseFreePort(), await chooseFreePort()];
    processes = [await start(ports[0]), await start(ports[1])];
    proxies = [];
    for (const name of DOCUMENTED_PROXIES)
      proxies.push(await startDocumentedProxy(name, [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]));
  });
  afterAll(async () => {
    for (const proxy of proxies) await proxy.close();
    await Promise.all(processes.map((each) => each.stop()));
    await database.drop();
  });

  const start = (port: number) =>
    startGatewayProcess({ MONGODB_URI: database.uri, PORT: String(port), ADMIN_API_KEY: KEY });

  /** Clients that each send one request after the other, on connections that they keep, until the returned function is called. */
  function clientsOf(proxy: RunningProxy, requestOf: (n: number) => ProxyRequest) {
    const agent = proxy.keepingAgent(4);
    const outcomes: { n: number; answer: ProxyAnswer | undefined }[] = [];
    let isOver = false;
    let next = 0;
    const client = async () => {
      while (!isOver) {
        const n = next++;
        const answer = await proxy.ask('/v1/pets', { ...requestOf(n), agent }).catch(() => undefined);
        outcomes.push({ n, answer });
      }
    };
    const running = Promise.all([1, 2, 3, 4].map(client));
    return async () => {
      isOver = true;
      await running;
      agent.destroy();
      return outcomes;
    };
  }
  const read = (): ProxyRequest => ({ headers: authorized(KEY) });

  test('that restart one after the other: each read is answered, or the response says when to retry', async () => {
    const stops = proxies.map((proxy) => clientsOf(proxy, read));
    for (const [index, port] of ports.entries()) {
      await processes[index]?.stop();
      processes = processes.with(index, await start(port));
      // Longer than proxies leave a gateway out.
      await delay(1500);
    }
    for (const [index, { name }] of proxies.entries()) {
      const outcomes = (await stops[index]?.()) ?? [];
      const answered = outcomes.filter(({ answer }) => answer?.status === 200).length;
      expect(answered).toBeGreaterThan(50);
      // On a slow machine a start takes longer than the 10 s for which requests wait for it.
      for (const { answer } of outcomes)
        if (answer === undefined) expect(PROMISES[name].closesKeptConnections).toBe(true);
        else if (answer.status !== 200) expectRetriable(answer);
    }
  });

  test('one that is killed under creates: each is carried out at most once, and exactly once with a retry', async () => {
    const creates = proxies.map((proxy) => (n: number): ProxyRequest => ({
      method: 'POST',
      headers: {
        ...authorized(KEY),
        'content-type': 'application/json',
        'idempotency-key': `${proxy.name}-${n}`,
      },
      body: JSON.stringify({ name: `${proxy.name} ${n}`, categoryId: 7 }),
    }));
    const stops = proxies.map((proxy, index) => clientsOf(proxy, creates[index] ?? read));
    await delay(1500);
    await processes[0]?.stop('SIGKILL');
    await delay(1500);
    const outcomes = await Promise.all(stops.map((stop) => stop()));

    const wanted: string[] = [];
    let failures = 0;
    for (const [index, proxy] of proxies.entries())
      for (const { n, answer } of outcomes[index] ?? []) {
        wanted.push(`${proxy.name} ${n}`);
        if (answer?.status === 201) continue;
        failures += 1;
        if (answer !== undefined) expectRetriable(answer);
        // 409 while the gateway cannot know yet that the first attempt ended with its process.
        await until(`${proxy.name} ${n} to be created`, async () => {
          const { status } = await proxy.ask('/v1/pets', creates[index]?.(n));
          expect([201, 409, 503]).toContain(status);
          return status === 201;
        });
      }
    expect(failures).toBeGreaterThan(0);
    expect((await allNames()).toSorted()).toEqual(wanted.toSorted());
    processes = processes.with(0, await start(ports[0]));
  });

  async function allNames(): Promise<string[]> {
    const names: string[] = [];
    let page: string | undefined = '/v1/pets?limit=100';
    while (page !== undefined) {
      const answer: Response = await fetch(`http://127.0.0.1:${ports[1]}${page}`, {
        headers: authorized(KEY),
      });
      names.push(...((await answer.json()) as { name: string }[]).map(({ name }) => name));
      page = /^<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return names;
  }

  test('that are all gone: 503 says when to retry', async () => {
    await Promise.all(processes.map((each) => each.stop()));
    for (const proxy of proxies) expectRetriable(await proxy.ask('/v1/pets', read()));
  });
});
