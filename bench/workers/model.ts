/** What one request takes with this many workers, processor time in microseconds. */
export interface Measured {
  workers: number;
  /** Of all workers together. */
  workerUs: number;
  /** Of the process that supervises the workers, which has one thread. */
  primaryUs: number;
  mongodUs: number;
  /** Of redis-server, which has one thread. 0 without Redis. */
  redisUs: number;
  /** Durable charges of the key: each is one write of one document. 0 with Redis. */
  charges: number;
}

/** How many charges of one key MongoDB makes per second, from this number of processes at once. */
export interface ChargeRate {
  processes: number;
  perSecond: number;
}

export const LIMITS = [
  'the workers',
  'the primary process',
  'MongoDB',
  'Redis',
  'one key’s document',
] as const;
export type Limit = (typeof LIMITS)[number];

export interface Prediction {
  cores: number;
  workers: number;
  requestsPerSecond: number;
  /** What is used up first. */
  limit: Limit;
}

/**
 * Predicts the requests per second on this many cores: for each number of workers that leaves a core to the stores,
 * the least of what each part can do, and of these the most. Load generators run elsewhere. With more workers than were
 * measured, a request takes as long as with the most that were: each worker has as many connections.
 * @returns undefined without a core for a worker and one for the stores
 */
export function predict(
  cores: number,
  measured: readonly Measured[],
  charges: readonly ChargeRate[],
): Prediction | undefined {
  return Array.from({ length: cores - 1 }, (_, i) => i + 1)
    .flatMap((workers) => {
      const like = measured.findLast((one) => one.workers <= workers);
      return like === undefined ? [] : [{ ...like, workers }];
    })
    .map((one) => ({ cores, workers: one.workers, ...tightest(capacities(cores, one, charges)) }))
    .reduce<Prediction | undefined>(
      (best, next) => (best === undefined || next.requestsPerSecond > best.requestsPerSecond ? next : best),
      undefined,
    );
}

/** Requests per second that each part can do by itself. */
export function capacities(
  cores: number,
  { workers, workerUs, primaryUs, mongodUs, redisUs, charges: perRequest }: Measured,
  charges: readonly ChargeRate[],
): Record<Limit, number> {
  const ofCores = (count: number, us: number) => (us === 0 ? Infinity : (count * 1e6) / us);
  const rate =
    (charges.find(({ processes }) => processes >= workers) ?? charges.at(-1))?.perSecond ?? Infinity;
  return {
    'the workers': ofCores(workers, workerUs),
    'the primary process': ofCores(1, primaryUs),
    // What the workers leave, without the core that Redis uses.
    MongoDB: ofCores(Math.max(1, cores - workers - (redisUs > 0 ? 1 : 0)), mongodUs),
    Redis: ofCores(1, redisUs),
    'one key’s document': perRequest === 0 ? Infinity : rate / perRequest,
  };
}

function tightest(of: Record<Limit, number>): Pick<Prediction, 'requestsPerSecond' | 'limit'> {
  const limit = LIMITS.reduce((least, next) => (of[next] < of[least] ? next : least));
  return { requestsPerSecond: of[limit], limit };
}
