import type { GraphQLBody } from '../interfaces/graphql/client.js';
import { dashboardClient } from '../interfaces/dashboard/client.js';
import { createStore, startPlatform, visit, type Store } from '../interfaces/sites/visitor.js';
import { useStarted } from '../support/gateway.js';
import { slowness } from './bounds/reference-core.js';
import { startVictim } from './victim.js';

/**
 * Work that a client makes and does not pay: documents are parsed, validated and measured before their cost is known.
 * Figures are processor time of this process, which runs the gateway: the least of a few tries, with a wide margin. What the
 * worst batch of ten takes is some 50 ms; it took 1 to 7 s.
 */
const SHOP = 'https://shop.example';
const CLIENT_LIMIT = 30;
const victim = useStarted(() =>
  startVictim({
    TRUST_PROXY: 'loopback',
    BROWSER_REQUESTS_PER_MINUTE_PER_IP: String(CLIENT_LIMIT),
    DASHBOARD_REQUESTS_PER_MINUTE: String(CLIENT_LIMIT),
  }),
);
const platform = useStarted(startPlatform);
afterEach(() => victim.expectAlive());

const times = (n: number, text: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => text(i)).join(' ');
const aliases = (n: number, field = 'plans { id }') => `{ ${times(n, (i) => `f${i}: ${field}`)} }`;
let made = 0;
/** The same document under a name that nobody has asked for before: it has to be parsed. */
const unique = (rest: string) => `query q${made++}${rest}`;

const QUADRATIC = `{${'pets{id}'.repeat(400)}}`;
const SQUARE_OF_FRAGMENTS = `{ ${times(90, (i) => `...F${i}`)} } ${times(90, (i) => `fragment F${i} on Query { ${'pets { id } '.repeat(3)} }`)}`;
/** 190 fields that each have the 900 of a fragment: measuring must not take their product. */
const PRODUCT = `{ ${'pets { ...F } '.repeat(190)} } fragment F on Pet { ${'id '.repeat(900)} }`;

interface Options {
  secret?: string;
  headers?: Record<string, string>;
}

async function post(body: unknown, { secret = victim.secret, headers = {} }: Options = {}) {
  const answer = await victim.gateway.request('/graphql', {
    method: 'POST',
    key: secret,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  const [first] = [(await answer.json()) as GraphQLBody | GraphQLBody[]].flat();
  return { status: answer.status, headers: answer.headers, code: first?.errors?.[0]?.extensions.code };
}

const keyWith = (requestsPerMinute: number, key = {}) =>
  victim.gateway.keyOn('enterprise', { requestsPerMinute, requestsPerDay: 1_000_000 }, key);
const browserKey = (requestsPerMinute = 100_000) =>
  keyWith(requestsPerMinute, { role: 'browser', allowedOrigins: [SHOP] });
const fromShop = (secret: string, client: string): Options => ({
  secret,
  headers: { origin: SHOP, 'x-forwarded-for': client },
});

async function usedOf({ apiKey }: Awaited<ReturnType<typeof keyWith>>): Promise<number | undefined> {
  const { windows } = await victim.gateway.services.keyQuotas.of(apiKey);
  return windows.find(({ name }) => name === 'minute')?.used;
}

/** How many documents `run` has looked up or parsed. */
async function documentsIn(run: () => Promise<unknown>, { services } = victim.gateway): Promise<number> {
  const asked = () => services.cacheStatistics.documents.hits + services.cacheStatistics.documents.misses;
  const before = asked();
  await run();
  return asked() - before;
}

/** The least processor time that `run` takes, in milliseconds. */
async function leastMs(run: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    const began = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe('a document takes time by its length, not by its square', () => {
  test.each([
    ['a field 400 times', QUADRATIC],
    ['fragments beside fragments', SQUARE_OF_FRAGMENTS],
    ['a fragment of many fields in many places', PRODUCT],
  ])('%s, in a batch of ten with one that costs more than the key has', async (_, rest) => {
    const { secret } = await keyWith(60);
    const batch = () => [
      ...Array.from({ length: 9 }, () => ({ query: unique(rest) })),
      { query: unique(aliases(61, '__schema { __typename }')) },
    ];
    expect(await leastMs(() => post(batch(), { secret }))).toBeLessThan(400 * slowness());
  });

  test('the documents of a batch share the tokens of one', async () => {
    const { secret } = await keyWith(1000);
    const body = JSON.stringify(
      [aliases(100), '{ nothing', aliases(300), '{ plans { id } }'].map((query) => ({ query })),
    );
    const answer = await victim.gateway.request('/graphql', {
      method: 'POST',
      key: secret,
      body,
      headers: { 'content-type': 'application/json' },
    });
    const answers = (await answer.json()) as GraphQLBody[];
    expect(answers.map(({ errors }) => errors?.[0]?.message)).toEqual([
      undefined,
      expect.stringContaining('Syntax Error'),
      expect.stringContaining('2000 tokens together'),
      expect.stringContaining('2000 tokens together'),
    ]);
    // Those that are remembered count as well: what is answered does not depend on what a process has in memory.
    const again = await victim.gateway.request('/graphql', {
      method: 'POST',
      key: secret,
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(((await again.json()) as GraphQLBody[]).map(({ data }) => data === undefined)).toEqual(
      answers.map(({ data }) => data === undefined),
    );
  });
});

describe('every parsed document is charged', () => {
  test('a cost that no window can hold: 400 query_too_costly, again and again, costs 1 each time', async () => {
    const key = await keyWith(20);
    const batch = () => [{ query: unique(QUADRATIC) }, { query: unique(aliases(20)) }];
    const answers = [];
    for (let i = 0; i < 22; i++) answers.push(await post(batch(), key));
    // Two entries cost at least 2.
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(19).fill(400), 429, 429, 429]);
    expect(answers[0]?.code).toBe('query_too_costly');
    expect(answers[0]?.headers.get('x-ratelimit-remaining')).toBe('19');
    expect(await usedOf(key)).toBe(19);
  });

  test('more entries than a window can hold: 400 query_too_costly as well, while anything is left', async () => {
    const key = await keyWith(3);
    const batch = () => Array.from({ length: 4 }, () => ({ query: unique('{ plans { id } }') }));
    for (const status of [400, 400, 400, 429]) expect((await post(batch(), key)).status).toBe(status);
  });

  test('a cost that does not fit: free ten times a minute, then 1 each time', async () => {
    const key = await keyWith(20);
    await post({ query: aliases(16) }, key);
    const answers = [];
    for (let i = 0; i < 16; i++) answers.push(await post({ query: unique(aliases(5)) }, key));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(429));
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
      ...Array<string>(10).fill('4'),
      ...['3', '2', '1', '0', '0', '0'],
    ]);
    expect(await usedOf(key)).toBe(20);
  });

  test('a batch of more entries than are left: free ten times a minute, then 1 each time', async () => {
    const key = await keyWith(5);
    const { secret } = key;
    expect((await post({ query: aliases(3) }, { secret })).status).toBe(200);
    const entries = () => Array.from({ length: 3 }, () => ({ query: unique('{ plans { id } }') }));
    for (let i = 0; i < 10; i++) expect((await post(entries(), { secret })).status).toBe(429);
    expect(await usedOf(key)).toBe(3);
    for (let i = 0; i < 3; i++) expect((await post(entries(), { secret })).status).toBe(429);
    expect(await usedOf(key)).toBe(5);
  });

  test('a refusal that was free has cost nothing, and what fits still passes', async () => {
    const key = await keyWith(20);
    await post({ query: aliases(16) }, key);
    for (let i = 0; i < 10; i++) await post({ query: unique(aliases(5)) }, key);
    expect(await usedOf(key)).toBe(16);
    expect((await post({ query: unique(aliases(4)) }, key)).status).toBe(200);
  });

  test('each document with a browser key costs the share of its client 1, whatever refuses it', async () => {
    const { secret } = await browserKey(10);
    const client = fromShop(secret, '192.0.2.1');
    const left = ({ headers }: Awaited<ReturnType<typeof post>>) =>
      Number(/"client";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    // More than the share, the key, and what is left of the key can hold.
    expect(left(await post({ query: unique(aliases(31)) }, client))).toBe(29);
    expect(left(await post({ query: unique(aliases(11)) }, client))).toBe(28);
    expect(left(await post({ query: unique(aliases(9)) }, client))).toBe(27);
    expect(left(await post(Array(3).fill({ query: unique(aliases(4)) }), client))).toBe(24);
  });
});

describe('parses nothing for clients without quota left: 429', () => {
  test.each([
    ['a document that does not parse', '{'],
    ['a costly one', QUADRATIC],
  ])('of a key: %s', async (_, rest) => {
    const key = await keyWith(3);
    await post({ query: aliases(3) }, key);
    const ask = async () => expect(await post({ query: unique(rest) }, key)).toMatchObject({ status: 429 });
    expect(await documentsIn(ask)).toBe(0);
    expect(await usedOf(key)).toBe(3);
  });

  test('of a key: a batch with more entries than are left', async () => {
    const key = await keyWith(12);
    await post({ query: aliases(3) }, key);
    const batch = () => Array.from({ length: 10 }, () => ({ query: unique('{ plans { id } }') }));
    const ask = async () => expect(await post(batch(), key)).toMatchObject({ status: 429 });
    expect(await documentsIn(ask)).toBe(0);
    expect(await post(batch().slice(1), key)).toMatchObject({ status: 200 });
    expect(await usedOf(key)).toBe(12);
  });

  test('of the share of a client, which a document that is not even JSON meets as well', async () => {
    const { secret } = await browserKey();
    const client = fromShop(secret, '192.0.2.1');
    expect((await post({ query: aliases(CLIENT_LIMIT) }, client)).status).toBe(200);
    const ask = async () => {
      for (const body of [{ query: unique('{') }, { query: unique(QUADRATIC) }, '{'])
        expect(await post(body, client)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    };
    expect(await documentsIn(ask)).toBe(0);
    expect((await post({ query: aliases(2) }, fromShop(secret, '192.0.2.2'))).status).toBe(200);
  });

  test('of a session of the dashboard', async () => {
    const { secret } = await keyWith(100, { role: 'owner' });
    const session = await dashboardClient(victim.gateway).enter(secret);
    const statuses = [];
    for (let i = 0; i < CLIENT_LIMIT + 1; i++)
      statuses.push((await session.graphql(unique(aliases(CLIENT_LIMIT + 1)))).status);
    // Refusals count: otherwise a session could have documents parsed without end.
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
    const ask = async () => expect((await session.graphql(unique(QUADRATIC))).status).toBe(429);
    expect(await documentsIn(ask)).toBe(0);
  });
});

describe("at a site's /graphql, with the key of its page", () => {
  const ask = async ({ host, secret }: Store, query: string, client = '192.0.2.1') => {
    const { status, headers, text } = await visit(platform, host, '/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'x-forwarded-for': client,
      },
      body: JSON.stringify({ query }),
    });
    return { status, headers, code: (JSON.parse(text) as GraphQLBody).errors?.[0]?.extensions.code };
  };
  const usedOfSite = async ({ key }: Store) =>
    (await platform.services.keyQuotas.of(key)).windows.find(({ name }) => name === 'minute')?.used;
  const PET = 'pets(limit: 1) { id }';

  test('nothing is parsed once the share of the client is used up', async () => {
    const store = await createStore(platform);
    expect((await ask(store, aliases(30, PET))).status).toBe(200);
    const over = async () => {
      for (const rest of ['{', QUADRATIC]) expect((await ask(store, unique(rest))).status).toBe(429);
    };
    expect(await documentsIn(over, platform)).toBe(0);
  });

  test('nothing is parsed once the quota is used up, and the share pays nothing', async () => {
    const store = await createStore(platform, { requestsPerMinute: 2, requestsPerDay: 100 });
    expect((await ask(store, aliases(2, PET))).status).toBe(200);
    const over = async () => {
      for (let i = 0; i < 40; i++) expect((await ask(store, unique(QUADRATIC))).status).toBe(429);
    };
    expect(await documentsIn(over, platform)).toBe(0);
    // What is kept goes on.
    expect((await ask(store, aliases(2, PET), '192.0.2.2')).status).toBe(200);
  });

  test('query_too_costly costs the key 1 and the share 1', async () => {
    const store = await createStore(platform, { requestsPerMinute: 10, requestsPerDay: 100 });
    const { status, code, headers } = await ask(store, unique(aliases(11, PET)));
    expect([status, code]).toEqual([400, 'query_too_costly']);
    expect(headers['ratelimit']).toContain('"client";r=29;');
    expect(await usedOfSite(store)).toBe(1);
  });
});
