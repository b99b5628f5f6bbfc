import { projectDays } from '../../../src/features/usage/groups.js';
import { MAX_REFUSALS } from '../../../src/features/usage/usage.js';
import type { KeyDay } from '../../../src/features/usage/usage-store.js';

test('the latest rejections of a project are those of all its keys, and no more than are kept', () => {
  const refusal = (minute: number) => ({
    at: new Date(minute * 60_000),
    interface: 'rest' as const,
    operation: 'listPets',
    code: 'rate_limit_exceeded',
    message: 'The quota is used up.',
    status: 429,
  });
  const keys = Array.from({ length: 300 }, (_, i): KeyDay => ({
    keyId: `key_${i}`,
    projectId: 'proj_a',
    day: '2026-11-25',
    groups: [],
    bans: 0,
    refusals: [refusal(1000 - i), refusal(i)],
  }));
  const [day] = projectDays(keys);
  expect(day?.refusals).toHaveLength(MAX_REFUSALS);
  expect(day?.refusals.at(-1)).toMatchObject({ keyId: 'key_0', at: new Date(1000 * 60_000) });
  expect(day?.refusals[0]).toMatchObject({ keyId: `key_${MAX_REFUSALS - 1}` });
});
