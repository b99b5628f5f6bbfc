import type { ApiKey } from '../../../src/features/keys/api-key.js';
import { CONFIGURED_ADMIN_KEY_ID } from '../../../src/features/keys/authenticator.js';
import { createCaller, type Caller } from '../../../src/features/keys/caller.js';
import type { RecordChange } from '../../../src/features/keys/record-change.js';
import { createKeyQuotas } from '../../../src/features/quotas/key-quotas.js';
import type { Limiter } from '../../../src/features/limiter/limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import type { CustomQuota } from '../../../src/features/plans/plans.js';
import { createQuotasService, type QuotasService } from '../../../src/features/quotas/quotas-service.js';
import type { Project } from '../../../src/features/projects/project.js';
import { freezeDate, MIDNIGHT, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { adminKey } from '../../support/admin-key.js';

const clock = () => Date.now();
const banPolicy = {
  loopSeconds: 24,
  strikes: 10,
  strikeWindowSeconds: 300,
  banSeconds: 60,
  maxBanSeconds: 3600,
};
const CUT = new Error('cut');

let limiter: Limiter;
let service: QuotasService;
/** The early retries that were added, and whether the next one is a strike, bans, or cannot be added. */
let strikes: { keyId: string; second: number }[];
let nextStrike: 'counts' | 'is the eighth' | 'bans' | 'fails';
let bans: { id: string; nowMs: number }[];
let changes: RecordChange[];
let errors: unknown[];

beforeEach(() => {
  freezeDate(NOON);
  limiter = createStoreLimiter(createMemoryQuotaStore(clock), clock, clock);
  nextStrike = 'counts';
  [strikes, bans, changes, errors] = [[], [], [], []];
  service = createQuotasService({
    limiter,
    isStoreDown: () => false,
    strikes: {
      add(keyId, second) {
        strikes.push({ keyId, second });
        if (nextStrike === 'fails') return Promise.reject(CUT);
        return Promise.resolve({
          strikes: nextStrike === 'is the eighth' ? 8 : 0,
          bans: nextStrike === 'bans',
        });
      },
    },
    keys: {
      ban(id, nowMs, policy) {
        expect(policy).toBe(banPolicy);
        bans.push({ id, nowMs });
        return Promise.resolve(undefined);
      },
    },
    banPolicy,
    evictEverywhere: (change) => void changes.push(change),
    onBan: () => undefined,
    clock,
    onError: (error) => void errors.push(error),
  });
});
afterEach(releaseDate);

const projectWith = (customQuota: CustomQuota): Project => ({
  id: 'proj_a',
  name: 'Zoo',
  slug: 'zoo',
  plan: 'enterprise',
  customQuota,
  createdAt: new Date(NOON),
});
function caller(requestsPerMinute: number, requestsPerDay: number, fields: Partial<ApiKey> = {}): Caller {
  const key: ApiKey = { ...adminKey().key, role: 'server', projectId: 'proj_a', ...fields };
  return createCaller(key, projectWith({ requestsPerMinute, requestsPerDay }), 6000, 'hash');
}
const refusalOf = async (who: Caller, cost = 1) => (await service.charge(who, cost)).refusal;

describe('what is admitted', () => {
  test('is returned with the windows after it, the one with the fewest left first', async () => {
    const verdict = await service.charge(caller(10, 5), 2);
    expect(verdict.refusal).toBeUndefined();
    expect(verdict.windows.map(({ name, used }) => [name, used])).toEqual([
      ['minute', 2],
      ['day', 2],
    ]);
    expect(verdict.effectiveWindow).toMatchObject({ name: 'day', remaining: 3 });
  });

  test('looks the same afterwards, and looking costs nothing', async () => {
    const who = caller(10, 50);
    const { windows, effectiveWindow } = await service.charge(who, 2);
    for (let i = 0; i < 3; i++) expect(await service.state(who)).toEqual({ windows, effectiveWindow });
  });
});

describe('a refusal', () => {
  test('names the window, its limit, the cost and when it resets', async () => {
    const who = caller(3, 100);
    await service.charge(who, 2);
    const { refusal, effectiveWindow } = await service.charge(who, 2);
    expect(effectiveWindow).toMatchObject({ name: 'minute', remaining: 1 });
    expect(refusal).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'This request costs 2, and 1 of 3 requests per minute is left. Retry in 60 s.',
      retryAfterSeconds: 60,
      details: {
        window: 'minute',
        limit: 3,
        remaining: 1,
        cost: 2,
        resetAt: new Date(NOON + 60_000).toISOString(),
      },
    });
  });

  test('says nothing of the cost of a plain request, and rounds the wait up to whole seconds', async () => {
    const who = caller(1, 100);
    await service.charge(who, 1);
    moveDateBy(1);
    expect((await refusalOf(who))?.message).toBe(
      'The limit of 1 request per minute is used up. Retry in 60 s.',
    );
    moveDateBy(59_998);
    expect((await refusalOf(who))?.retryAfterSeconds).toBe(1);
  });

  test('by both windows reports the one that resets last', async () => {
    const who = caller(1, 1);
    await service.charge(who, 1);
    const { refusal, effectiveWindow } = await service.charge(who, 1);
    expect(effectiveWindow?.name).toBe('day');
    expect(refusal).toMatchObject({
      message: 'The limit of 1 request per day is used up. Retry in 43200 s.',
      details: { window: 'day', resetAt: new Date(MIDNIGHT).toISOString() },
    });
  });

  test('that is certain is returned at once; the store decides otherwise', async () => {
    const who = caller(1, 100);
    expect(service.refusedAtOnce(who)).toBeUndefined();
    await service.charge(who, 1);
    expect(service.refusedAtOnce(who)?.refusal).toMatchObject({ code: 'rate_limit_exceeded' });
  });
});

test.each([
  ['minute', { requestsPerMinute: 3, requestsPerDay: 5 }],
  ['day', { requestsPerMinute: 5, requestsPerDay: 3 }],
])('rejects a cost that exceeds a whole %s, which costs 1', async (window, quota) => {
  const who = caller(quota.requestsPerMinute, quota.requestsPerDay);
  const { refusal, effectiveWindow, charged } = await service.charge(who, 4);
  expect(refusal).toMatchObject({
    code: 'query_too_costly',
    message: `This request costs 4, and the limit is 3 requests per ${window}. Split the request.`,
    details: { window, limit: 3, cost: 4 },
  });
  expect([effectiveWindow, charged]).toMatchObject([{ name: window, used: 1 }, 1]);
  expect(await refusalOf(who, 2)).toBeUndefined();
  expect((await service.charge(who, 4)).refusal?.code).toBe('rate_limit_exceeded');
});

describe('a rejection of a cost above what is left', () => {
  test('is free ten times in a minute, then costs 1 as long as that is left', async () => {
    const who = caller(5, 100);
    await service.charge(who, 2);
    const verdicts = [];
    for (let i = 0; i < 14; i++) verdicts.push(await service.charge(who, 4));
    expect(verdicts.map(({ refusal }) => refusal?.code)).toEqual(Array(14).fill('rate_limit_exceeded'));
    expect(verdicts.map(({ charged }) => charged)).toEqual([...Array<number>(10).fill(0), 1, 1, 1, 0]);
    expect(verdicts.map(({ effectiveWindow }) => effectiveWindow?.remaining).slice(9)).toEqual([
      3, 2, 1, 0, 0,
    ]);
    moveDateBy(60_000);
    expect(await service.charge(who, 4)).toMatchObject({ charged: 4 });
    expect(await service.charge(who, 4)).toMatchObject({ charged: 0, effectiveWindow: { remaining: 1 } });
  });

  test('is free for another key', async () => {
    const [one, other] = [caller(5, 100), caller(5, 100, { id: 'key_other' })];
    for (const who of [one, other]) await service.charge(who, 2);
    for (let i = 0; i < 10; i++) await service.charge(one, 4);
    expect(await service.charge(other, 4)).toMatchObject({ charged: 0 });
  });
});

describe('a prediction', () => {
  test('is the rejection that a charge would get, and costs nothing', async () => {
    const who = caller(5, 100);
    expect(await service.foresee(who, 5)).toBeUndefined();
    await service.charge(who, 3);
    expect(await service.foresee(who, 2)).toBeUndefined();
    expect(await service.foresee(who, 3)).toMatchObject({
      charged: 0,
      refusal: { code: 'rate_limit_exceeded', details: { window: 'minute', cost: 3 } },
    });
    expect((await service.state(who)).effectiveWindow).toMatchObject({ used: 3 });
  });

  test('is free ten times in a minute if it rejects, then costs 1 as long as that is left', async () => {
    const who = caller(5, 100);
    await service.charge(who, 3);
    for (let i = 0; i < 10; i++) expect(await service.foresee(who, 3)).toMatchObject({ charged: 0 });
    for (let used = 4; used <= 5; used++)
      expect(await service.foresee(who, 3)).toMatchObject({ charged: 1, effectiveWindow: { used } });

    expect(await service.foresee(who, 3)).toMatchObject({ charged: 0, effectiveWindow: { used: 5 } });
  });

  test('is no 429 for what no window could hold, while anything is left', async () => {
    const who = caller(5, 100);
    expect(await service.foresee(who, 6)).toBeUndefined();
    await service.charge(who, 5);
    expect((await service.foresee(who, 6))?.refusal?.code).toBe('rate_limit_exceeded');
  });
});

describe('a banned key', () => {
  const until = new Date(NOON + 59_001);

  test('is refused at once with nothing left until the end of the ban', () => {
    const verdict = service.refusedAtOnce(caller(3, 100, { ban: { until, offences: 1, day: '2029-06-15' } }));
    expect(verdict?.refusal).toMatchObject({
      code: 'key_banned',
      message: `This API key is banned until ${until.toISOString()} because it kept sending requests before Retry-After had passed.`,
      retryAfterSeconds: 60,
      details: { until: until.toISOString() },
    });
    expect(verdict?.windows).toEqual([
      { name: 'minute', limit: 3, used: 3, remaining: 0, resetAtMs: until.getTime() },
      { name: 'day', limit: 100, used: 100, remaining: 0, resetAtMs: until.getTime() },
    ]);
    expect(verdict?.effectiveWindow?.name).toBe('minute');
  });

  test('is none from the end of the ban on', () => {
    const who = caller(3, 100, { ban: { until, offences: 1, day: '2029-06-15' } });
    moveDateBy(59_001);
    expect(service.refusedAtOnce(who)).toBeUndefined();
  });
});

describe('a request before Retry-After has passed', () => {
  /** Rejected with a Retry-After, and back two seconds later. */
  async function hammer(who: Caller): Promise<void> {
    await service.charge(who, 1);
    await service.charge(who, 1);
    moveDateBy(2000);
    await service.charge(who, 1);
    // What follows a strike runs beside the request.
    await new Promise(setImmediate);
  }

  test('adds an early retry in the second of the request', async () => {
    const who = caller(1, 100);
    await hammer(who);
    expect(strikes).toEqual([{ keyId: who.key.id, second: (NOON + 2000) / 1000 }]);
    expect({ bans, changes }).toEqual({ bans: [], changes: [] });
  });

  test('learns from the next response how many more strikes ban it', async () => {
    const who = caller(1, 100);
    nextStrike = 'is the eighth';
    await hammer(who);
    const { refusal } = await service.charge(who, 1);
    expect(refusal?.message).toMatch(/ 3 more strikes ban it\.$/);
    expect(refusal?.details).toMatchObject({ strikesLeft: 3 });
    moveDateBy(6000);
    expect((await service.charge(who, 1)).refusal?.details).toMatchObject({ strikesLeft: undefined });
  });

  test('is banned by the strike that is one too many, and this process sees it at the next request', async () => {
    const who = caller(1, 100);
    nextStrike = 'bans';
    await hammer(who);
    expect(bans).toEqual([{ id: who.key.id, nowMs: NOON + 2000 }]);
    expect(changes).toEqual([{ keyId: who.key.id }]);
  });

  test('gets the usual response when the strike cannot be added', async () => {
    nextStrike = 'fails';
    await hammer(caller(1, 100));
    expect(errors).toEqual([CUT]);
  });

  test('gets a strike for a remembered rejection as well', async () => {
    const who = caller(1, 100);
    await hammer(who);
    moveDateBy(1000);
    expect(service.refusedAtOnce(who)).toBeDefined();
    expect(strikes).toHaveLength(2);
  });

  test.each<[string, Partial<ApiKey>]>([
    ['a browser key, which is public', { role: 'browser' }],
    ['the configured admin key, which has no record', { id: CONFIGURED_ADMIN_KEY_ID, role: 'admin' }],
  ])('gets none with %s', async (_what, fields) => {
    await hammer(caller(1, 100, fields));
    expect(strikes).toEqual([]);
  });
});

describe('the quota of a key, as an admin looks at it', () => {
  const project = projectWith({ requestsPerMinute: 3, requestsPerDay: 100 });
  const ban = { until: new Date(NOON + 1), offences: 1, day: '2029-06-15' };
  const quotas = () =>
    createKeyQuotas({
      limiter,
      isStoreDown: () => false,
      projects: { get: (id) => Promise.resolve(id === project.id ? project : undefined) },
      strikes: { count: () => Promise.resolve(new Map()) },
      banPolicy: { strikes: 10 },
      adminRequestsPerMinute: 6000,
      clock,
    });

  test('has its plan and its windows, and looking consumes nothing', async () => {
    const who = caller(3, 100);
    await service.charge(who, 2);
    for (let i = 0; i < 3; i++)
      expect(await quotas().of(who.key)).toMatchObject({
        plan: 'enterprise',
        windows: [
          { name: 'minute', used: 2, limit: 3 },
          { name: 'day', used: 2, limit: 100 },
        ],
        ban: undefined,
      });
  });

  test('has no plan and a minute alone for an admin key', async () => {
    expect(await quotas().of(adminKey().key)).toMatchObject({
      plan: undefined,
      windows: [{ name: 'minute', used: 0, limit: 6000 }],
    });
  });

  test('has a ban while it lasts', async () => {
    const { key } = caller(3, 100, { ban });
    expect((await quotas().of(key)).ban).toEqual(ban);
    moveDateBy(1);
    expect((await quotas().of(key)).ban).toBeUndefined();
  });

  test('of many keys comes in their order', async () => {
    const [used, unused] = [caller(3, 100), caller(3, 100)];
    await service.charge(used, 2);
    const found = await quotas().ofMany([
      { key: unused.key, project },
      { key: used.key, project },
      { key: adminKey().key, project: undefined },
    ]);
    expect(found.map(({ windows }) => windows.map((window) => window.used))).toEqual([[0, 0], [2, 2], [0]]);
  });
});
