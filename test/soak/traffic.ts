import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_BETWEEN_CUTS_MS = 100;

/** The keys that the traffic uses. */
export interface TrafficKeys {
  admin: string;
  /** Never used up. */
  ample: readonly string[];
  /** Used up all the time. */
  small: readonly string[];
  /** Where keys are made and revoked. */
  projectId: string;
}

export interface Traffic {
  /** Ends all clients; resolves to how often each kind of request was answered how, `list 200`. */
  stop: () => Promise<ReadonlyMap<string, number>>;
}

/** Sends one request or a few that belong together, and says what came back. */
type Turn = (turn: number) => Promise<string>;

/** One client for each kind of traffic, each with one request at a time, until it is stopped. */
export function startTraffic(url: string, keys: TrafficKeys): Traffic {
  const outcomes = new Map<string, number>();
  let stopped = false;

  async function keepSending(kind: string, turn: Turn): Promise<void> {
    for (let i = 0; !stopped; i++) {
      const outcome = `${kind} ${await turn(i).catch((error: unknown) => (error as Error).name)}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }

  const clients = Object.entries(kindsOf(url, keys)).map(([kind, turn]) => keepSending(kind, turn));
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return outcomes;
    },
  };
}

function kindsOf(url: string, keys: TrafficKeys): Record<string, Turn> {
  const ample = (turn: number) => keys.ample[turn % keys.ample.length] ?? '';
  const small = (turn: number) => keys.small[turn % keys.small.length] ?? '';
  const pet = (turn: number) => JSON.stringify({ name: `Rex ${turn}`, categoryId: turn % 7 });

  async function send(path: string, key: string, init: RequestInit = {}): Promise<string> {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    };
    const answer = await fetch(url + path, { ...init, headers });
    await answer.arrayBuffer();
    return String(answer.status);
  }
  const post = (key: string, body: string, headers: Record<string, string> = {}) =>
    send('/v1/pets', key, { method: 'POST', body, headers });
  const graphql = (key: string, query: unknown) =>
    send('/graphql', key, { method: 'POST', body: JSON.stringify(query) });

  /**
   * Bytes on a connection of its own, which is cut after a moment, answered or not. At a measured pace: Node accepts a
   * connection a turn of its event loop, and who comes and goes faster than that keeps everybody else in the queue.
   */
  async function sendAndCut(bytes: string, afterMs: number): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined).resume();
    socket.write(bytes);
    await sleep(afterMs);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    await sleep(PAUSE_BETWEEN_CUTS_MS);
    return 'cut';
  }

  const sendAsAdmin = async (query: string, variables: Record<string, unknown>) => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input: variables } }),
    });
    return ((await answer.json()) as { data: Record<string, IssuedKey> }).data;
  };

  /** A key is made, used, revoked, and used in vain. */
  const liveAndDie: Turn = async (turn) => {
    const { createApiKey: made } = await sendAsAdmin(
      'mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }',
      { projectId: keys.projectId, name: `key ${turn}` },
    );
    if (made === undefined) return 'no key';
    const before = await send('/v1/pets?limit=1', made.secret);
    await sendAsAdmin(
      'mutation($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { apiKey { id } } }',
      {
        id: made.apiKey.id,
      },
    );
    const after = await send('/v1/pets?limit=1', made.secret);
    await sleep(200);
    return `${before} then ${after}`;
  };

  const head = (line: string, turn: number) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ample(turn)}\r\n`;

  return {
    list: (turn) => send('/v1/pets?limit=20&status=available', ample(turn)),
    'list by pages': (turn) => send(`/v1/pets?limit=${1 + (turn % 100)}`, ample(turn)),
    get: (turn) => send(`/v1/pets/${1 + (turn % 30)}`, ample(turn)),
    create: (turn) => post(ample(turn), pet(turn)),
    'create twice': async (turn) => {
      const idempotency = { 'idempotency-key': `soak-${process.pid}-${turn}` };
      const first = await post(ample(0), pet(turn), idempotency);
      return `${first} then ${await post(ample(0), pet(turn), idempotency)}`;
    },
    query: (turn) =>
      graphql(ample(turn), { query: '{ pets(limit: 20) { id name status } quota { windows { name } } }' }),
    batch: (turn) =>
      graphql(ample(turn), [{ query: '{ plans { id } }' }, { query: '{ petsByIds(ids: [1, 2]) { id } }' }]),
    // Long ones, so that the cache of documents is full soon.
    'query never seen': (turn) =>
      graphql(ample(turn), { query: `{ a${turn}: plans { id } ${'__typename '.repeat(200)} }` }),
    'bad query': (turn) => graphql(ample(turn), { query: `{ nothing${turn} }` }),
    'bad body': (turn) => post(ample(turn), '{"name":1}'),
    'bad path': (turn) => send(`/v1/nothing/${turn}`, ample(turn)),
    'over quota': (turn) => send('/v1/pets?limit=1', small(turn)),
    'unknown key': (turn) => send('/v1/pets', `pets_live_${turn}`),
    'new connection': (turn) => send('/v1/pets?limit=1', ample(turn), { headers: { connection: 'close' } }),
    'cut while answered': (turn) => sendAndCut(`${head('GET /v1/pets?limit=100', turn)}\r\n`, turn % 10),
    'cut while sending': (turn) =>
      sendAndCut(
        `${head('POST /v1/pets', turn)}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na`,
        10,
      ),
    'cut while pipelining': (turn) =>
      sendAndCut(`${head('GET /v1/pets?limit=50', turn)}\r\n`.repeat(10), turn % 20),
    'a key lives and dies': liveAndDie,
  };
}

interface IssuedKey {
  secret: string;
  apiKey: { id: string };
}
