import type { Cluster, Redis } from 'ioredis';
import { slotOf } from '../../platform/redis/redis-slot.js';
import { WINDOW_NAMES, WINDOWS, type Meter } from '../plans/window.js';
import { ask, countOf, SAME_WINDOW_MS, type Counts, type QuotaStore } from './quota-store.js';

/** The counter of an aligned window outlives it, so that a step of Redis's clock does not end it early. */
const KEPT_LONGER_MS = 3_600_000;

/**
 * How late Redis may do what it is asked, milliseconds. A Redis that was paused works through what lies in its sockets,
 * long after the requests were decided otherwise.
 */
const LATEST_MS = 2000;

/**
 * KEYS: one prefix for each window; all have the same hash tag. ARGV: what to do ('decide', 'add', 'follow' or 'read'), the
 * time (Unix time in milliseconds, '' for Redis's own), the latest time at which to do it ('' for none), and for each
 * window its length in milliseconds, whether it is aligned (1 or 0), and three numbers:
 * - decide: the limit, the units that the asking process knows to be used, and the time until its window ends. The costs
 *   follow.
 * - add: the units that the asking process knows to be used, the units to add, and the time until their window ends.
 * - follow: the same, where their window follows another one that only the process counted. See QuotaStore.add.
 * - read: three zeros.
 * Returns the time, what all windows had left (-1: it was too late, so nothing was done), and for each window the units used and the time until it ends (0: not started).
 *
 * The counters are those of rate-limiter-flexible's RateLimiterRedis: a number that expires with its window. Beside it, a counter with `:back` at the end of its
 * key has the units that a process returned, so that a process that knows of a higher count does not count them again. One
 * with `:longer` has the earlier end of a minute that was prolonged: a process that knows that end means this minute. The
 * counter of an aligned window has the window's number since 1970 in its key, which the script appends, because the
 * window is that of Redis's clock. All
 * keys of a call are in one slot.
 */
const SCRIPT = `
local now = tonumber(ARGV[2])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

if ARGV[3] ~= '' and now > tonumber(ARGV[3]) then return { now, -1 } end

local isAddition = ARGV[1] == 'add' or ARGV[1] == 'follow'
local windows = {}
for i, prefix in ipairs(KEYS) do
  local at = 4 + (i - 1) * 5
  local w = { key = prefix, length = tonumber(ARGV[at]), isAligned = ARGV[at + 1] == '1' }
  w.limit = tonumber(ARGV[at + 2])
  w.units = tonumber(ARGV[at + 3])
  w.endsIn = tonumber(ARGV[at + 4])
  w.known = w.limit
  w.whole = w.length
  w.longer = 0
  if w.isAligned then
    w.whole = w.length - now % w.length
    w.longer = ${KEPT_LONGER_MS}
    local number = math.floor(now / w.length)
    if isAddition and w.endsIn > w.whole + w.length / 2 then
      -- Their clock was ahead, or they begin the next window a moment early.
      w.whole = w.whole + w.length
      number = number + 1
    end
    w.key = prefix .. ':' .. string.format('%.0f', number)
  end
  w.used = 0
  w.left = 0
  local value = redis.call('GET', w.key)
  if value then
    local left = redis.call('PTTL', w.key) - w.longer
    if w.isAligned or left < 0 or left > w.whole then left = w.whole end
    if left > 0 then
      w.used = tonumber(value)
      w.left = left
    end
  end
  windows[i] = w
end

local function set(w, used, left)
  redis.call('SET', w.key, string.format('%.0f', used), 'PX', string.format('%.0f', left + w.longer))
  w.used = used
  w.left = left
end

-- After a step of a clock, the rest of an aligned window differs by the step; the rests of two differ by a whole one.
local function isSame(w)
  if w.isAligned then return w.endsIn > 0 and math.abs(w.whole - w.endsIn) < w.length / 2 end
  if math.abs(w.left - w.endsIn) <= ${SAME_WINDOW_MS} then return true end
  local earlierEnd = w.left > 0 and redis.call('GET', w.key .. ':longer')
  return earlierEnd and math.abs(earlierEnd - now - w.endsIn) <= ${SAME_WINDOW_MS}
end

-- Whether the asking process knows of units that are lost, not of units that were taken back since.
local function hasLost(w, known)
  return w.used < known and w.used + tonumber(redis.call('GET', w.key .. ':back') or 0) < known
end

local free = 0
if ARGV[1] == 'decide' then
  for _, w in ipairs(windows) do
    if w.isAligned then
      if isSame(w) and hasLost(w, w.units) then set(w, w.units, w.whole) end
    elseif w.units > 0 and w.endsIn > ${SAME_WINDOW_MS} and w.endsIn <= w.whole + ${SAME_WINDOW_MS} then
      if w.left == 0 then set(w, w.units, math.min(w.endsIn, w.whole))
      elseif isSame(w) then
        if hasLost(w, w.units) then set(w, w.units, w.left) end
      elseif w.endsIn < w.left then set(w, w.used + w.units, w.endsIn) end
    end
  end
  free = math.huge
  for _, w in ipairs(windows) do free = math.min(free, math.max(0, w.limit - w.used)) end
  local units = 0
  for i = 4 + #KEYS * 5, #ARGV do
    local cost = tonumber(ARGV[i])
    if units + cost <= free then units = units + cost end
  end
  if units > 0 then
    for _, w in ipairs(windows) do set(w, w.used + units, w.left > 0 and w.left or w.whole) end
  end
elseif isAddition then
  for _, w in ipairs(windows) do
    -- Nothing of an aligned window that has ended here.
    if w.units > 0 and w.endsIn > 0 and (isSame(w) or not w.isAligned) then
      local used = w.used
      if (w.left == 0 or isSame(w)) and hasLost(w, w.known) then used = w.known end
      local theirs = math.min(w.endsIn, w.whole)
      if w.left > 0 and ARGV[1] == 'follow' and theirs > w.left + ${SAME_WINDOW_MS} then
        local earlierEnd = redis.call('GET', w.key .. ':longer') or string.format('%.0f', now + w.left)
        redis.call('SET', w.key .. ':longer', earlierEnd, 'PX', string.format('%.0f', theirs))
        w.left = theirs
      end
      set(w, used + w.units, w.left > 0 and w.left or theirs)
    elseif w.units < 0 and w.left > 0 and isSame(w) then
      redis.call('INCRBY', w.key .. ':back', string.format('%.0f', math.min(w.used, -w.units)))
      redis.call('PEXPIRE', w.key .. ':back', string.format('%.0f', w.left + w.longer))
      set(w, math.max(0, w.used + w.units), w.left)
    end
  end
end

local result = { now, free }
for _, w in ipairs(windows) do
  table.insert(result, w.used)
  table.insert(result, w.left)
end
return result`;

interface Scripts {
  quotaWindows(keys: number, ...given: (string | number)[]): Promise<number[]>;
}

/**
 * Counts in Redis or Valkey, a cluster too. One script decides, by Redis's clock, over both windows of a key. ioredis
 * sends the scripts of many keys without waiting in between, so they share round trips. In a cluster, all that one call
 * of a script needs is in one slot, and each node has its own time.
 *
 * Redis can lose counts: a failover, a restart with the last second missing from its log, FLUSHALL. So each charge says
 * what its process knows, and the script takes over a higher count.
 *
 * @param now Redis's clock for the meter with this id; tests pass their own
 */
export function createRedisQuotaStore(
  client: Redis | Cluster,
  now: (id: string) => number | '' = () => '',
): QuotaStore {
  client.defineCommand('quotaWindows', { lua: SCRIPT });
  const scripts = client as unknown as Scripts;

  /** By slot: Redis's time in its last answer, and the time of that answer on our stopwatch. */
  const timeBySlot = new Map<number, { redisMs: number; stopwatchMs: number }>();
  const slotOfMeter = client.isCluster ? slotOf : () => 0;

  /** ioredis would let commands wait for the connection to a cluster. */
  function checkReady(): void {
    if (client.status !== 'ready') throw new Error('Redis is unreachable');
  }

  async function run(
    meter: Meter,
    operation: 'decide' | 'add' | 'follow' | 'read',
    numbersOf: (window: number) => readonly [number, number, number],
    costs: readonly number[] = [],
  ): Promise<{ free: number; windows: Counts }> {
    const keys = meter.windows.map(({ name, epoch }) => `quota:{${meter.id}}:${name}:${epoch}`);
    const given = meter.windows.flatMap(({ name }, i) => {
      const { lengthMs, isAligned } = WINDOWS[name];
      return [lengthMs, isAligned ? 1 : 0, ...numbersOf(i).map(Math.round)];
    });
    const slot = slotOfMeter(meter.id);
    const askedAtMs = performance.now();
    for (;;) {
      checkReady();
      const time = timeBySlot.get(slot);
      const latest = time === undefined ? '' : time.redisMs + askedAtMs - time.stopwatchMs + LATEST_MS;
      const [redisMs = 0, free = 0, ...counts] = await scripts.quotaWindows(
        keys.length,
        ...keys,
        operation,
        now(meter.id),
        latest === '' ? latest : Math.ceil(latest),
        ...given,
        ...costs,
      );
      timeBySlot.set(slot, { redisMs, stopwatchMs: performance.now() });
      if (free >= 0)
        return {
          free,
          windows: meter.windows.map((window, i) =>
            countOf(window, counts[2 * i] ?? 0, counts[2 * i + 1] ?? 0),
          ),
        };
      // Unless Redis's clock was set forward, it was late.
      if (performance.now() - askedAtMs > LATEST_MS) throw new Error('Redis was asked too long ago');
    }
  }

  return {
    decide: (meter, costs, known = []) =>
      ask(() =>
        run(
          meter,
          'decide',
          (i) => [meter.windows[i]?.limit ?? 0, known[i]?.consumedPoints ?? 0, known[i]?.msBeforeNext ?? 0],
          costs,
        ),
      ),
    add: async (meter, units, leftMs, known = [], follows = false) => {
      const knownOf = (i: number) => {
        const { consumedPoints = 0, msBeforeNext = 0 } = known[i] ?? {};
        return Math.abs(msBeforeNext - (leftMs[i] ?? 0)) <= SAME_WINDOW_MS ? consumedPoints : 0;
      };
      const operation = follows ? 'follow' : 'add';
      const outcome = await ask(() =>
        run(meter, operation, (i) => [knownOf(i), units[i] ?? 0, leftMs[i] ?? 0]),
      );
      return outcome.windows;
    },
    read: (meters) =>
      ask(() =>
        Promise.all(meters.map(async (meter) => (await run(meter, 'read', () => [0, 0, 0])).windows)),
      ),
    async remove(keys) {
      // The counters of aligned windows that have ended, and of epochs before a reset, expire by themselves.
      await ask(async () => {
        checkReady();
        for (const { id, epochs } of keys)
          await client.del(
            ...WINDOW_NAMES.map((name) => {
              const { lengthMs, isAligned } = WINDOWS[name];
              const prefix = `quota:{${id}}:${name}:${epochs[name]}`;
              return isAligned ? `${prefix}:${Math.floor(Date.now() / lengthMs)}` : prefix;
            }),
          );
      });
    },
  };
}
