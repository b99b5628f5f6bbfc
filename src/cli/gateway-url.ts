import type { Config } from '../config/config.js';
import { findGateway } from '../platform/mongod/data-dir.js';

/** A gateway on a busy machine answers late. Where nothing listens, the connection is refused at once. */
export const ANSWER_TIMEOUT_MS = 15_000;
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);

/** The origin where a gateway listens, for this machine. */
export function originOf(host: string, port: number): string {
  return `http://${ANY_ADDRESS.get(host) ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}

/** Where the gateway of these settings listens: the running gateway of DATA_DIR, or else HOST and PORT. */
export async function gatewayOriginOf({ mongodbUri, dataDir, host, port }: Config): Promise<string> {
  const own = mongodbUri === undefined ? await findGateway(dataDir) : undefined;
  return own === undefined ? originOf(host, port) : originOf(own.host, own.port);
}

/** What listens at an origin: a gateway that is ready or not, another program, or nothing. */
export async function askReadiness(origin: string): Promise<'ready' | 'not ready' | 'other' | 'nothing'> {
  try {
    const answer = await fetch(`${origin}/health/ready`, {
      // Only the origin itself counts, and a stranger there must not choose what this machine requests.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const body = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined;
    if (body?.status === undefined) return 'other';
    return body.status === 'ready' ? 'ready' : 'not ready';
  } catch {
    return 'nothing';
  }
}
