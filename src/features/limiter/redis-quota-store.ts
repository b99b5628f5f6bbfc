import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Cluster, Redis } from 'ioredis';
import { slotOf } from '../../platform/redis/redis-slot.js';
import { WINDOWS, type Meter } from '../plans/window.js';
import { ask, countOf, SAME_WINDOW_MS, type Counts, type QuotaStore } from './quota-store.js';
import { HOUR_MS } from '../../lib/clock.js';

/** The counts of a key outlive its windows, so that a step of Redis's clock does not end them early. */
const KEPT_LONGER_MS = HOUR_MS;

/**
 * How late Redis may do what it is asked, milliseconds. A Redis that was paused works through what lies in its sockets,
 * long after the requests were decided otherwise.
 */
const LATEST_MS = 2000;

const RULES = Object.values(WINDOWS)
  .map(({ field, lengthMs, isAligned }) => `${field} = { ${lengthMs}, ${isAligned} }`)
  .join(', ');

/**
 * KEYS: the hash of a key. ARGV: what to do ('decide', 'add', 'follow' or 'read'), the time (Unix time in milliseconds, ''
 * for Redis's own), the latest time at which to do it ('' for none), how many windows follow, and for each its field, its
 * epoch, and three numbers:
 * - decide: the limit, the units that the asking process knows to be used, and the time until its window ends. The costs
 *   follow the windows.
 * - add: the units that the asking process knows to be used, the units to add, and the time until their window ends.
 * - follow: the same, where their window follows another one that only the process counted. See QuotaStore.add.
 * - read: three zeros.
 * Returns the time, what all windows had left (-1: it was too late, so nothing was done), and for each window the units
 * used and the time until it ends (0: not started).
 *
 * The fields of a window begin with its letter and end with: u, the units used; e, its end; p, its epoch; b, units that a
 * process returned, so that a process that knows of a higher count does not count them again; l, the earlier end of a
 * window that was prolonged: a process that knows that end means this window. An aligned window has two sets of fields,
 * with 0 or 1 after the letter, by turns: the next one can begin before Redis's clock has reached it, and the last one
 * counts again if the clock is set back.
 */
const SCRIPT = `
local RULES = { ${RULES} }
local key = KEYS[1]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if ARGV[3] ~= '' and now > tonumber(ARGV[3]) then return { now, -1 } end

local op = ARGV[1]
local count = tonumber(ARGV[4])

-- The usual case: a charge that fits into windows that run, and of which nothing is lost. It returns before the rest.
if op == 'decide' then
  local fields, wholes = {}, {}
  for i = 1, count do
    local name = ARGV[i * 5]
    local rule = RULES[name]
    wholes[i] = rule[1]
    if rule[2] then
      local passed = now % rule[1]
      wholes[i] = rule[1] - passed
      name = name .. (now - passed) / rule[1] % 2
    end
    fields[i * 3 - 2], fields[i * 3 - 1], fields[i * 3] = name .. 'u', name .. 'e', name .. 'p'
  end
  local values = redis.call('HMGET', key, unpack(fields))
  local units = 0
  for i = 5 + count * 5, #ARGV do units = units + ARGV[i] end
  local free, sets, result = math.huge, {}, { now, 0 }
  for i = 1, count do
    local at = i * 5
    local used, left = values[i * 3 - 2], (values[i * 3 - 1] or now) - now
    local known, endsIn = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local runs = left > 0 and left <= wholes[i] and values[i * 3] == ARGV[at + 1]
    if RULES[ARGV[at]][2] then runs = runs and left == wholes[i] end
    if not runs or used - known < 0 or (endsIn > ${SAME_WINDOW_MS} and math.abs(left - endsIn) > ${SAME_WINDOW_MS}) then
      free = -1
      break
    end
    free = math.min(free, ARGV[at + 2] - used)
    sets[i * 2 - 1], sets[i * 2] = fields[i * 3 - 2], used + units
    result[i * 2 + 1], result[i * 2 + 2] = used + units, left
  end
  if units <= free then
    redis.call('HSET', key, unpack(sets))
    result[2] = free
    return result
  end
end

local isAddition = op == 'add' or op == 'follow'
local windows, fields = {}, {}
for i = 1, count do
  local at = i * 5
  local name = ARGV[at]
  local rule = RULES[name]
  local limit = tonumber(ARGV[at + 2])
  local endsIn = tonumber(ARGV[at + 4])
  local length, isAligned = rule[1], rule[2]
  local whole = length
  if isAligned then
    local passed = now % length
    local number = (now - passed) / length
    whole = length - passed
    if isAddition and endsIn > whole + length / 2 then
      -- Their clock was ahead, or they begin the next window a moment early.
      whole = whole + length
      number = number + 1
    end
    name = name .. number % 2
  end
  windows[i] = { name = name, epoch = tonumber(ARGV[at + 1]), limit = limit, known = limit,
    units = tonumber(ARGV[at + 3]), endsIn = endsIn, length = length, isAligned = isAligned, whole = whole }
  fields[i * 3 - 2], fields[i * 3 - 1], fields[i * 3] = name .. 'u', name .. 'e', name .. 'p'
end

local values = redis.call('HMGET', key, unpack(fields))
for i = 1, count do
  local w = windows[i]
  w.used, w.left, w.was = 0, 0, 0
  w.stored = tonumber(values[i * 3]) or -1
  local ends = values[i * 3 - 1]
  if ends and w.stored >= w.epoch then
    local left = ends - now
    if w.isAligned then
      if left ~= w.whole then left = 0 end
    end
    if left > 0 then w.used, w.left, w.was = tonumber(values[i * 3 - 2]), math.min(left, w.whole), left end
  end
  w.runs = w.left
end

local sets, old, lasts = {}, {}, 0
local function set(w, used, left)
  sets[#sets + 1] = w.name .. 'u'
  sets[#sets + 1] = used
  if left ~= w.was then
    sets[#sets + 1] = w.name .. 'e'
    sets[#sets + 1] = now + left
    if w.runs == 0 then
      sets[#sets + 1] = w.name .. 'p'
      sets[#sets + 1] = math.max(w.epoch, w.stored)
      if w.stored >= 0 then
        old[#old + 1] = w.name .. 'b'
        old[#old + 1] = w.name .. 'l'
      end
    end
    lasts = math.max(lasts, left)
  end
  w.used, w.left, w.was = used, left, left
end

local function rest(w, field)
  return w.runs > 0 and tonumber(redis.call('HGET', key, w.name .. field))
end

-- After a step of a clock, the rest of an aligned window differs by the step; the rests of two differ by a whole one.
local function isSame(w)
  if w.isAligned then return w.endsIn > 0 and math.abs(w.whole - w.endsIn) < w.length / 2 end
  if math.abs(w.left - w.endsIn) <= ${SAME_WINDOW_MS} then return true end
  local earlierEnd = rest(w, 'l')
  return earlierEnd and math.abs(earlierEnd - now - w.endsIn) <= ${SAME_WINDOW_MS}
end

-- Whether the asking process knows of units that are lost, not of units that were taken back since.
local function hasLost(w, known)
  return w.used < known and w.used + (rest(w, 'b') or 0) < known
end

local free = 0
if op == 'decide' then
  for _, w in ipairs(windows) do
    if w.units > 0 and w.stored <= w.epoch then
      if w.isAligned then
        if w.used < w.units and isSame(w) and hasLost(w, w.units) then set(w, w.units, w.whole) end
      elseif w.endsIn > ${SAME_WINDOW_MS} and w.endsIn <= w.whole + ${SAME_WINDOW_MS} then
        if w.left == 0 then set(w, w.units, math.min(w.endsIn, w.whole))
        elseif isSame(w) then
          if hasLost(w, w.units) then set(w, w.units, w.left) end
        elseif w.endsIn < w.left then set(w, w.used + w.units, w.endsIn) end
      end
    end
  end
  free = math.huge
  for _, w in ipairs(windows) do free = math.min(free, math.max(0, w.limit - w.used)) end
  local units = 0
  for i = 5 + count * 5, #ARGV do
    local cost = tonumber(ARGV[i])
    if units + cost <= free then units = units + cost end
  end
  if units > 0 then
    for _, w in ipairs(windows) do set(w, w.used + units, w.left > 0 and w.left or w.whole) end
  end
elseif isAddition then
  for _, w in ipairs(windows) do
    -- Nothing of a window that was reset since, or of an aligned window that has ended here.
    if w.stored > w.epoch then
    elseif w.units > 0 and w.endsIn > 0 and (isSame(w) or not w.isAligned) then
      local used = w.used
      if (w.left == 0 or isSame(w)) and hasLost(w, w.known) then used = w.known end
      local theirs = w.isAligned and w.whole or math.min(w.endsIn, w.whole)
      local left = w.left > 0 and w.left or theirs
      if w.left > 0 and op == 'follow' and theirs > w.left + ${SAME_WINDOW_MS} then
        sets = { w.name .. 'l', rest(w, 'l') or now + w.left, unpack(sets) }
        left = theirs
      end
      set(w, used + w.units, left)
    elseif w.units < 0 and w.left > 0 and isSame(w) then
      redis.call('HINCRBY', key, w.name .. 'b', math.min(w.used, -w.units))
      set(w, math.max(0, w.used + w.units), w.left)
    end
  end
end

if #old > 0 then redis.call('HDEL', key, unpack(old)) end
if #sets > 0 then redis.call('HSET', key, unpack(sets)) end
if lasts > 0 then
  for _, w in ipairs(windows) do lasts = math.max(lasts, w.left) end
  redis.call('PEXPIRE', key, lasts + ${KEPT_LONGER_MS})
end
local result = { now, free }
for i = 1, count do
  result[i * 2 + 1] = windows[i].used
  result[i * 2 + 2] = windows[i].left
end
return result`;

const SHA = createHash('sha1').update(SCRIPT).digest('hex');

type Arguments = (string | number)[];

/** What ioredis has, and its types leave out. */
interface WithStream {
  stream: Pick<Writable, 'cork' | 'uncork'>;
}

/**
 * Counts in Redis or Valkey, a cluster too: one hash for each key. One script decides, by Redis's clock, over all windows
 * of a key. The calls of one turn of the event loop are one write to the socket. In a cluster, each call goes to the node
 * of its key, and each node has its own time.
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
  /** By slot: Redis's time in its last answer, and the time of that answer on our stopwatch. */
  const timeBySlot = new Map<number, { redisMs: number; stopwatchMs: number }>();
  const slotOfMeter = client.isCluster ? slotOf : () => 0;
  let corked: WithStream['stream'] | undefined;

  /** ioredis would let commands wait for the connection to a cluster. */
  function checkReady(): void {
    if (client.status !== 'ready') throw new Error('Redis is unreachable');
  }

  function call(given: Arguments): Promise<unknown> {
    if (!client.isCluster) corkForThisTurn((client as unknown as WithStream).stream);
    return client.evalsha(SHA, 1, ...given).catch((error: unknown) => load(error, given));
  }

  /** What is written in one turn of the event loop goes out in one system call. */
  function corkForThisTurn(stream: WithStream['stream']): void {
    if (corked === stream) return;
    corked = stream;
    stream.cork();
    process.nextTick(() => {
      corked = undefined;
      stream.uncork();
    });
  }

  /** Sends the script itself if Redis does not have it (any more). @throws the error otherwise */
  async function load(error: unknown, given: Arguments): Promise<unknown> {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
      return client.eval(SCRIPT, 1, ...given);
    throw error;
  }

  async function run(
    { id, windows }: Meter,
    operation: 'decide' | 'add' | 'follow' | 'read',
    numbersOf: (window: number) => readonly [number, number, number],
    costs: readonly number[] = [],
  ): Promise<{ free: number; windows: Counts }> {
    const slot = slotOfMeter(id);
    const askedAtMs = performance.now();
    for (;;) {
      checkReady();
      const time = timeBySlot.get(slot);
      const latest = time && Math.ceil(time.redisMs + askedAtMs - time.stopwatchMs + LATEST_MS);
      const given: Arguments = [`quota:{${id}}`, operation, now(id), latest ?? '', windows.length];
      for (const [i, { name, epoch }] of windows.entries()) {
        const [first, second, third] = numbersOf(i);
        given.push(WINDOWS[name].field, epoch, first, Math.round(second), Math.round(third));
      }
      const [redisMs = 0, free = 0, ...counts] = (await call([...given, ...costs])) as number[];
      timeBySlot.set(slot, { redisMs, stopwatchMs: performance.now() });
      if (free >= 0)
        return {
          free,
          windows: windows.map((window, i) => countOf(window, counts[2 * i] ?? 0, counts[2 * i + 1] ?? 0)),
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
    remove: (keys) =>
      ask(async () => {
        checkReady();
        for (const { id } of keys) await client.del(`quota:{${id}}`);
      }),
  };
}
