import { stateOf, type ApiKey } from '../../../src/features/keys/api-key.js';
import { resultOf } from '../../../src/lib/result-of.js';
import { createCaller, requireUsable } from '../../../src/features/keys/caller.js';
import { NO_RESETS } from '../../../src/features/plans/window.js';
import type { Project } from '../../../src/features/projects/project.js';
import { adminKey } from '../../support/admin-key.js';

const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const [BEFORE, AT, AFTER] = [new Date(NOW - 1), new Date(NOW), new Date(NOW + 1)];

describe('the state of a key', () => {
  test.each<[string, Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'disabledAt'>, string]>([
    ['active without an end', {}, 'active'],
    ['active before its end', { expiresAt: AFTER }, 'active'],
    ['expired from its end on', { expiresAt: AT }, 'expired'],
    ['expired after its end', { expiresAt: BEFORE }, 'expired'],
    ['disabled', { disabledAt: BEFORE, expiresAt: AFTER }, 'disabled'],
    ['expired, though it is also disabled', { disabledAt: BEFORE, expiresAt: AT }, 'expired'],
    ['revoked', { revokedAt: BEFORE }, 'revoked'],
    ['revoked, though it has also expired', { revokedAt: AT, expiresAt: BEFORE }, 'revoked'],
  ])('is %s', (_what, key, state) => {
    expect(stateOf(key, NOW)).toBe(state);
  });
});

describe('a secret opens its key', () => {
  const secrets = [
    { hash: 'ended', start: '', expiresAt: AT },
    { hash: 'ending', start: '', expiresAt: AFTER },
    { hash: 'current', start: '' },
  ];
  const opens = (hash: string, fields: Partial<ApiKey> = {}) =>
    resultOf(() =>
      requireUsable(createCaller({ ...adminKey().key, secrets, ...fields }, undefined, 60, hash), NOW),
    ) === undefined;

  test.each([
    ['the current one', 'current', true],
    ['one that was rotated out, until its end', 'ending', true],
    ['one that was rotated out, no more from its end on', 'ended', false],
    ['another key’s', 'unknown', false],
  ])('%s', (_what, hash, expected) => {
    expect(opens(hash)).toBe(expected);
  });

  test('unless the key itself has ended', () => {
    expect(opens('current', { revokedAt: BEFORE })).toBe(false);
    expect(opens('current', { expiresAt: AT })).toBe(false);
    expect(opens('current', { disabledAt: BEFORE })).toBe(false);
  });
});

describe('requests are counted', () => {
  const key: ApiKey = { ...adminKey().key, epochs: { ...NO_RESETS, minute: 3, day: 5 } };
  const project: Project = { id: 'proj_a', name: 'Zoo', slug: 'zoo', plan: 'free', createdAt: BEFORE };

  test('in the two windows of the plan of the project', () => {
    expect(createCaller(key, project, 6000, 'hash').meter).toEqual({
      id: key.id,
      windows: [
        { name: 'minute', limit: 60, epoch: 3 },
        { name: 'day', limit: 1000, epoch: 5 },
      ],
    });
  });

  test('in a minute alone for an admin key', () => {
    expect(createCaller(key, undefined, 6000, 'hash').meter).toEqual({
      id: key.id,
      windows: [{ name: 'minute', limit: 6000, epoch: 3 }],
    });
  });
});
