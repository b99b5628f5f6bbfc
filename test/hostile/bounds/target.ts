import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createStore,
  OPERATOR_HOST,
  PLATFORM_HOST,
  publish,
  startPlatform,
} from '../../interfaces/sites/visitor.js';
import { startGatewayProcess } from '../../support/gateway-process.js';
import { rawHead } from '../../support/raw-http.js';
import type { Measured } from './search.js';

/** Ends a wait for an answer that does not come, and for the end of one that has; no measurements. */
const PATIENCE_MS = 20_000;
const SILENCE_MS = 300;
/** A process that uses less than this between two looks has nothing left to do for a request. */
const IDLE_MS = 20;
const IDLE_CPU_US = 3000;

export type Target = Awaited<ReturnType<typeof startTarget>>;

export const HOST = `${OPERATOR_HOST}:3000`;
export const ORIGIN = `http://${HOST}`;
/** Of a browser key, for each client. */
export const SHARE = 5;

/** The built gateway as a process of its own whose processor time can be read, and an office that makes its keys. */
export async function startTarget(env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bounds-'));
  const probe = join(folder, 'probe');
  // What is measured is the work; the limits that keep it from being asked for have tests of their own.
  const limits = {
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
    DASHBOARD_REQUESTS_PER_MINUTE: '1000000',
    BROWSER_REQUESTS_PER_MINUTE_PER_IP: String(SHARE),
    MAX_EVENT_LOOP_DELAY_MS: '0',
    ...env,
  };
  const office = await startPlatform({ env: limits });
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${office.databaseName}`;
  const gateway = await startGatewayProcess({
    ...limits,
    MONGODB_URI: uri.href,
    PUBLIC_URL: ORIGIN,
    PLATFORM_HOST,
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'info',
    NODE_OPTIONS: `--require ${join(__dirname, 'processor-time.cjs')}`,
    BOUNDS_PROBE: probe,
  });
  const { port } = new URL(gateway.url);
  const { read: readProbe, close: closeProbe } = await connectProbe(probe);
  const store = await createStore(office);
  await publish(office, store.project.id, {
    'index.html': '<h1>Paws</h1>',
    'app.js': 'console.log(1);'.repeat(5000),
  });
  for (let i = 0; i < 200; i++)
    await office.services.pets.create({ name: `Rex ${i}`, categoryId: 1n, status: 'available' }, undefined);

  /** Waits until the process does next to nothing, so that work which outlives its response counts too. */
  async function readWhenIdle(): Promise<{ cpuUs: number; responses: number }> {
    let last = await readProbe();
    for (;;) {
      await sleep(IDLE_MS);
      const now = await readProbe();
      if (now.cpuUs - last.cpuUs < IDLE_CPU_US) return last;
      last = now;
    }
  }

  /** Sends bytes on a connection of their own, and reads until the gateway closes it. */
  async function exchange(
    bytes: Buffer,
    isRequest: boolean,
  ): Promise<{ text: string; ms: number; responses: number }> {
    const before = await readProbe();
    const text = await talk(Number(port), bytes, isRequest);
    const after = await readProbe();
    return { text, ms: (after.cpuUs - before.cpuUs) / 1000, responses: after.responses - before.responses };
  }

  let clients = 0;
  return {
    url: gateway.url,
    office,
    store,
    /** An address that nobody has asked from. */
    newClient: () => `10.${(++clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`,
    /**
     * A sender of requests: each call one request, of which the answer's rate headers tell what it was charged.
     * @param window whose count is looked at; undefined: nothing is charged to anybody
     * @param full what the window has before each request, where each is of a key of its own
     */
    sender: (window: string | undefined, make: (text: string) => Buffer | Promise<Buffer>, full?: number) => {
      let left = full;
      return async (text: string): Promise<Measured> => {
        const { text: answer, ms } = await exchange(await make(text), true);
        const now = window === undefined ? undefined : remainingOf(answer, window);
        const units = unitsOf(left, now);
        left = full ?? now ?? left;
        return { ms, units, status: statusOf(answer) };
      };
    },
    /** Sends one request, and counts what the gateway still does for it after its response. */
    sendWhole: async (request: Buffer): Promise<{ text: string; ms: number; status: number }> => {
      const before = await readProbe();
      const text = await talk(Number(port), request, true);
      const status = statusOf(text);
      // Nothing is done for what is rejected as a whole.
      const after = await (status === 400 ? readProbe() : readWhenIdle());
      return { text, ms: (after.cpuUs - before.cpuUs) / 1000, status };
    },
    /** A sender of what is no request, of which some waits in vain for its rest. */
    sendRaw: async (text: string): Promise<Measured> => {
      const { text: answer, ms, responses } = await exchange(Buffer.from(text), false);
      // The bytes can be many requests at once. The bound holds for each of them. The gateway counts them, because a
      // connection that is cut with bytes unread loses responses on their way.
      return { ms: ms / Math.max(1, responses), units: 0, status: statusOf(answer) };
    },
    async close() {
      closeProbe();
      await gateway.stop();
      await office.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Bytes of a request to a host, whose connection ends with its answer. */
export function requestOf(
  line: string,
  { host = HOST, headers = [], body }: { host?: string; headers?: string[]; body?: string | Buffer } = {},
): Buffer {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body);
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`];
  const head = rawHead(`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, ...length);
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** What an answer's `RateLimit` says of a window. */
export function remainingOf(answer: string, window: string): number | undefined {
  const line = /^ratelimit: (.*)$/im.exec(answer.slice(0, answer.indexOf('\r\n\r\n')))?.[1] ?? '';
  const item = line.split(', ').find((each) => each.startsWith(`"${window}"`));
  const left = /;r=([0-9]+)/.exec(item ?? '')?.[1];
  return left === undefined ? undefined : Number(left);
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1] ?? 0);
}

/** By what the window says; where it began since the request before, the request has paid for itself at least. */
function unitsOf(before: number | undefined, now: number | undefined): number {
  if (now === undefined) return 0;
  return before === undefined || now > before ? 1 : before - now;
}

function talk(port: number, bytes: Buffer, isRequest: boolean): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => socket.write(bytes));
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // A connection that a document has kept open.
      socket.setTimeout(SILENCE_MS);
    });
    socket.on('end', end);
    socket.setTimeout(isRequest ? PATIENCE_MS : SILENCE_MS, end);
    // Cut by the gateway, perhaps before all was written: the test still needs its cost.
    socket.on('error', end);
  });
}

async function connectProbe(path: string): Promise<{
  read: () => Promise<{ cpuUs: number; responses: number }>;
  close: () => void;
}> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connecting = connect(path, () => resolve(connecting));
    connecting.once('error', reject);
  });
  return {
    read: () =>
      new Promise((resolve) => {
        socket.once('data', (line: Buffer) => {
          const [cpuUs = 0, responses = 0] = line.toString().split(' ').map(Number);
          resolve({ cpuUs, responses });
        });
        socket.write('.');
      }),
    close: () => socket.destroy(),
  };
}
