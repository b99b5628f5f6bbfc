import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPlan } from '../../../src/features/plans/check-plan.js';
import {
  describeQuota,
  PLAN_IDS,
  PLANS,
  quotaOfPlan,
  type CustomQuota,
  type Plan,
  type PlanId,
} from '../../../src/features/plans/plans.js';
import { faultOf } from '../../support/fault-of.js';

const CUSTOM = { requestsPerMinute: 5, requestsPerDay: 7 };
const LARGEST = 2 ** 31 - 1;

test.each<[PlanId, CustomQuota]>([
  ['free', { requestsPerMinute: 60, requestsPerDay: 1000 }],
  ['pro', { requestsPerMinute: 300, requestsPerDay: 10_000 }],
  ['business', { requestsPerMinute: 1000, requestsPerDay: 100_000 }],
])('the quota of the %s plan is that of the specification', (plan, quota) => {
  expect(quotaOfPlan({ plan })).toEqual(quota);
});

test('the quota of an enterprise project is its own, and it must have one', () => {
  expect(quotaOfPlan({ plan: 'enterprise', customQuota: CUSTOM })).toEqual(CUSTOM);
  expect(() => quotaOfPlan({ plan: 'enterprise' })).toThrow('the enterprise plan needs a custom quota');
});

test.each([
  [{ requestsPerMinute: 60, requestsPerDay: 1000 }, '60 requests per minute and 1000 per day'],
  [{ requestsPerMinute: 1, requestsPerDay: 1 }, '1 request per minute and 1 per day'],
])('the quota %j in words', (quota, words) => {
  expect(describeQuota(quota)).toBe(words);
});

describe('a plan is accepted', () => {
  test.each(['free', 'pro', 'business'] as const)('%s without a custom quota', (plan) => {
    expect(checkPlan(plan, undefined)).toEqual({ plan });
  });

  test.each([CUSTOM, { requestsPerMinute: 1, requestsPerDay: LARGEST }])(
    'enterprise with %j',
    (customQuota) => {
      expect(checkPlan('enterprise', customQuota)).toEqual({ plan: 'enterprise', customQuota });
    },
  );
});

describe('a plan is rejected', () => {
  const bounds = 'must be an integer from 1 to 2147483647';

  test.each<[string, PlanId, CustomQuota | undefined, string, string]>([
    ['free with a custom quota', 'free', CUSTOM, 'customQuota', 'is for the enterprise plan only'],
    ['enterprise without one', 'enterprise', undefined, 'customQuota', 'is required on the enterprise plan'],
    ...[0, -1, 1.5, NaN, LARGEST + 1].flatMap((value): [string, PlanId, CustomQuota, string, string][] =>
      (['requestsPerMinute', 'requestsPerDay'] as const).map((field) => [
        `enterprise with ${value} ${field}`,
        'enterprise',
        { ...CUSTOM, [field]: value },
        `customQuota.${field}`,
        bounds,
      ]),
    ),
  ])('%s', async (_what, plan, customQuota, field, message) => {
    expect(await faultOf(() => checkPlan(plan, customQuota))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field, message }] },
    });
  });
});

const number = (n: number) => n.toLocaleString('en-US');
const limits = ({ quota }: Plan, separator: string) =>
  quota === 'custom'
    ? undefined
    : [quota.requestsPerMinute, quota.requestsPerDay].map(number).join(separator);

describe.each(PLAN_IDS.map((id) => PLANS[id]))('the $name plan is described', (plan) => {
  const isSaid = (file: string, text: string) =>
    readFileSync(join(__dirname, '../../..', file), 'utf8')
      .replace(/[ \n]+/g, ' ')
      .includes(text);

  test.each([
    [
      'docs/quotas.md',
      `| ${plan.name} | ${limits(plan, ' | ') ?? 'custom | custom'} | ${number(plan.maxApiKeys)} |`,
    ],
    ['docs/keys.md', `${number(plan.maxApiKeys)} on ${plan.name}`],
    ['schema/openapi.yaml', `${plan.name} ${limits(plan, ' and ') ?? 'as agreed'}`],
  ])('%s has “%s”', (file, text) => expect(isSaid(file, text)).toBe(true));
});

test('plans are listed from the smallest to the largest', () => {
  const sizes = PLAN_IDS.map((id) => {
    const { quota, maxApiKeys, includesDomains } = PLANS[id];
    return quota === 'custom'
      ? [Infinity, Infinity, maxApiKeys, 1]
      : [quota.requestsPerMinute, quota.requestsPerDay, maxApiKeys, Number(includesDomains)];
  });
  const isAscending = (values: number[]) => values.every((value, i) => value >= (values[i - 1] ?? 0));
  for (const measure of [0, 1, 2, 3]) expect(isAscending(sizes.map((size) => size[measure] ?? 0))).toBe(true);
});
