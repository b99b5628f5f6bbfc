import { API_KEY_ROLES, type ApiKey, type ApiKeyRole } from '../../../../src/features/keys/api-key.js';
import {
  mayReachKey,
  requireNotBrowser,
  requireProjectAccess,
  requireProjectMember,
  requireRole,
  type GraphQLContext,
} from '../../../../src/interfaces/graphql/schema/context.js';
import { resultOf } from '../../../../src/lib/result-of.js';
import { adminKey } from '../../../support/admin-key.js';

const as = (role: ApiKeyRole, projectId = role === 'admin' ? undefined : 'own') =>
  ({
    caller: {
      key: { ...adminKey().key, id: `key_${role}`, role },
      project: projectId ? { id: projectId } : undefined,
    },
  }) as unknown as GraphQLContext;
const keyOf = (projectId?: string): ApiKey => ({ ...adminKey().key, projectId });
const forbidden = (message: string) => ({ code: 'forbidden', message });
const needs = (roles: string, role: string) =>
  forbidden(`This needs a key with the role ${roles}. This key has the role ${role}.`);

test.each(API_KEY_ROLES)('what is for one role or another: asked with a %s key', (role) => {
  const answers = [
    resultOf(() => requireRole(as(role), 'admin')),
    resultOf(() => requireRole(as(role), 'server', 'owner')),
    resultOf(() => requireNotBrowser(as(role))),
  ];
  const all = {
    browser: [
      needs('admin', role),
      needs('server or owner', role),
      needs('server, staff, owner or admin', role),
    ],
    server: [needs('admin', role), undefined, undefined],
    staff: [needs('admin', role), needs('server or owner', role), undefined],
    owner: [needs('admin', role), undefined, undefined],
    admin: [undefined, needs('server or owner', role), undefined],
  };
  expect(answers).toMatchObject(all[role]);
});

describe('a project', () => {
  const OWN_ONLY = forbidden('An owner key can use its own project only.');

  test.each(['browser', 'server', 'staff'] as const)('is nothing to a %s key, not even its own', (role) => {
    expect(resultOf(() => requireProjectAccess(as(role), 'own'))).toMatchObject(
      needs('owner or admin', role),
    );
  });

  test('is its owner’s only', () => {
    expect(resultOf(() => requireProjectAccess(as('owner'), 'own'))).toBeUndefined();
    for (const id of ['foreign', undefined])
      expect(resultOf(() => requireProjectAccess(as('owner'), id))).toMatchObject(OWN_ONLY);
    expect(resultOf(() => requireProjectAccess(as('owner', ''), 'own'))).toMatchObject(OWN_ONLY);
  });

  test('is also its staff’s, where staff may work', () => {
    const STAFF_ONLY = forbidden('A staff key can use its own project only.');
    for (const role of ['staff', 'owner', 'admin'] as const)
      expect(resultOf(() => requireProjectMember(as(role), 'own'))).toBeUndefined();
    for (const id of ['foreign', undefined])
      expect(resultOf(() => requireProjectMember(as('staff'), id))).toMatchObject(STAFF_ONLY);
    expect(resultOf(() => requireProjectMember(as('staff', ''), 'own'))).toMatchObject(STAFF_ONLY);
    expect(resultOf(() => requireProjectMember(as('owner'), 'foreign'))).toMatchObject(OWN_ONLY);
    for (const role of ['browser', 'server'] as const)
      expect(resultOf(() => requireProjectMember(as(role), 'own'))).toMatchObject(
        needs('staff, owner or admin', role),
      );
  });

  test('is any admin’s', () => {
    for (const id of ['own', 'foreign', undefined])
      expect(resultOf(() => requireProjectAccess(as('admin'), id))).toBeUndefined();
  });
});

test('a key is seen by the owner of its project and by admins; an admin key by admins only', () => {
  const seenBy = (context: GraphQLContext) =>
    [keyOf('own'), keyOf('foreign'), keyOf()].map((key) => mayReachKey(context, key));
  expect(seenBy(as('owner'))).toEqual([true, false, false]);
  expect(seenBy(as('owner', ''))).toEqual([false, false, false]);
  expect(seenBy(as('admin'))).toEqual([true, true, true]);
});
