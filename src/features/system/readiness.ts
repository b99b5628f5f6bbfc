import { shareLook } from '../../lib/shared-look.js';

/**
 * Returns whether this process can serve requests. Looks at the database at most once in half a second for all clients.
 * It writes nothing, and its result changes nothing in this process.
 * @param charge called before a new look; if it returns false, a result of up to five seconds is good enough
 */
export type PublicReadiness = (charge: () => boolean) => Promise<boolean>;

/** The result of one check of the stores. */
export interface Readiness {
  /** Whether this process can serve requests. */
  ready: boolean;
  /** The checks by name. Each text is `ok`, ends with `ok`, or is the reason for the failure. */
  checks: Record<string, string>;
  /**
   * How far MongoDB's clock is ahead of this process's clock, in milliseconds; negative if behind. Undefined while
   * MongoDB does not respond.
   */
  clockOffsetMs: number | undefined;
}

/** Whether the text of a check says that all is well. */
export const isWell = (check: string): boolean => /\bok$/.test(check);

/**
 * Combines what the processes of one gateway report: ready if all are, and for each check the first text that is a
 * reason for a failure. Undefined if there is no report.
 */
export function worstOf(reports: readonly Readiness[]): Readiness | undefined {
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  const checks = { ...first.checks };
  for (const other of others)
    for (const [name, text] of Object.entries(other.checks))
      if (isWell(checks[name] ?? 'ok')) checks[name] = text;
  return { ...first, ready: reports.every(({ ready }) => ready), checks };
}

/** The state of a process's limit of requests in flight. */
interface Load {
  full: boolean;
  overloaded: boolean;
  inFlight: number;
  limit: number;
  eventLoopDelayMs: number;
}

/** How long all callers reuse a look at the stores, milliseconds. */
const LOOK_REUSED_MS = 500;
/** The same for a client that has used up its limit. */
const LOOK_REUSED_BEYOND_LIMIT_MS = 5000;

/**
 * Combines the looks at the stores with the load of this process.
 * @param checkQuotaStore resolves with `redis: ok`, or with the problem
 */
export function createReadiness(
  checkMongo: () => Promise<Readiness>,
  checkQuotaStore: () => Promise<string>,
  loadState: () => Readonly<Load>,
) {
  const lookAtMongo = shareLook(checkMongo);
  const lookAtQuotaStore = shareLook(checkQuotaStore);

  async function readyAt(maxAgeMs: number): Promise<Readiness> {
    const { ready, ...found } = await lookAtMongo(maxAgeMs);
    return { ...found, ready: ready && !loadState().full };
  }

  const publicReadiness: PublicReadiness = async (charge) => {
    const mayLook = !lookAtMongo.isDue(LOOK_REUSED_MS) || charge();
    return (await readyAt(mayLook ? LOOK_REUSED_MS : LOOK_REUSED_BEYOND_LIMIT_MS)).ready;
  };

  return {
    /** What the gateway needs to be ready: reads of MongoDB, and no call of the quota store. */
    ownReadiness: () => readyAt(LOOK_REUSED_MS),
    /** For anybody. */
    publicReadiness,
    /** For operators, with all checks. Writes to the quota store, at most once in LOOK_REUSED_MS. */
    readiness: async (): Promise<Readiness> => {
      const [found, quotaStore] = await Promise.all([
        readyAt(LOOK_REUSED_MS),
        lookAtQuotaStore(LOOK_REUSED_MS),
      ]);
      return { ...found, checks: { ...found.checks, quotaStore, load: loadCheck(loadState()) } };
    },
  };
}

/**
 * A late event loop is reported but does not make the process unready: the process still serves what it can, and the
 * other processes would have to take over its requests.
 */
function loadCheck({ full, overloaded, inFlight, limit, eventLoopDelayMs }: Readonly<Load>): string {
  if (full) return `full: ${inFlight} of ${limit} requests in flight`;
  if (overloaded)
    return `overloaded: rejecting some requests with 503, ${inFlight} of ${limit} in flight, the event loop is ${eventLoopDelayMs} ms late`;
  return 'ok';
}
