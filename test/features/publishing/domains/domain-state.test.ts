import {
  NEW_DNS,
  NO_CERTIFICATE,
  domainStateOf,
  statusOf,
  type Domain,
  type NewDomain,
} from '../../../../src/features/publishing/domains/domain.js';
import { domainsEndAt, type Project } from '../../../../src/features/projects/project.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const domain: NewDomain = {
  id: 'dom_1',
  projectId: 'proj_1',
  isPlatform: false,
  name: 'shop.example.test',
  unicode: 'shop.example.test',
  registrable: 'example.test',
  isApex: false,
  label: 'shop',
  createdAt: new Date(NOW - DAY),
  ownershipToken: 'token',
  ownershipRequired: false,
  holds: false,
  dns: NEW_DNS,
  certificate: NO_CERTIFICATE,
};
const verified = (minutesAgo: number): NewDomain => ({
  ...domain,
  holds: true,
  dns: { state: 'verified', verifiedAt: new Date(NOW - minutesAgo * MINUTE), failures: 0 },
});
const current = {
  id: 'crt_1',
  privateKey: { keyId: 'k', nonce: Buffer.alloc(12), ciphertext: Buffer.alloc(1), tag: Buffer.alloc(16) },
  pem: '',
  notBefore: new Date(NOW - DAY),
  notAfter: new Date(NOW + DAY),
  serialNumber: '01',
  ariId: undefined,
  directoryUrl: 'https://ca.example/directory',
};
const active: NewDomain = { ...verified(60), certificate: { ...NO_CERTIFICATE, state: 'active', current } };
/** As the store returns a domain, stored at `storedAt`. */
const stored = (given: NewDomain, storedAt = NOW): Domain => ({ ...given, ...statusOf(given, storedAt) });
const problem = { code: 'ca_unavailable', message: '', at: new Date(NOW) } as const;

describe('the status of a domain', () => {
  test.each<[string, NewDomain, string, string | undefined]>([
    ['not asked for yet', domain, 'pending', undefined],
    ['asked for', { ...domain, dns: { ...NEW_DNS, state: 'verifying' } }, 'verifying', undefined],
    ['verified a moment ago', verified(1), 'issuing', undefined],
    ['verified for 29 minutes without a certificate', verified(29), 'issuing', undefined],
    ['verified for 30 minutes without a certificate', verified(30), 'action_required', 'ssl_overdue'],
    [
      'verified for long, and its problem is known',
      { ...verified(90), problem },
      'action_required',
      'ca_unavailable',
    ],
    ['certified', active, 'active', undefined],
    [
      'certified until a moment ago',
      { ...active, certificate: { ...active.certificate, current: { ...current, notAfter: new Date(NOW) } } },
      'action_required',
      'ssl_overdue',
    ],
    ['certified, and its renewal has a problem', { ...active, problem }, 'active', 'ca_unavailable'],
    [
      'certified, and its records are gone',
      { ...active, dns: { state: 'failed', failures: 1 } },
      'action_required',
      undefined,
    ],
  ])('%s', (_what, given, status, code) => {
    for (const storedAt of [NOW, NOW - 2 * 60 * MINUTE]) {
      const standing = domainStateOf(stored(given, storedAt), NOW, undefined);
      expect([standing.status, standing.problem?.code]).toEqual([status, code]);
    }
  });

  test.each([
    [NOW - 1, 'suspended', 'plan_required'],
    [NOW, 'suspended', 'plan_required'],
    [NOW + 1, 'active', 'plan_required'],
  ])('suspended from %d on: %s at this moment', (at, status, code) => {
    const standing = domainStateOf(stored(active), NOW, new Date(at));
    expect([standing.status, standing.problem?.code]).toEqual([status, code]);
  });

  test.each<[string, NewDomain, Date | undefined, Date | undefined]>([
    ['nothing ends', active, undefined, undefined],
    ['the end of the grace period', active, new Date(NOW + 2 * DAY), new Date(NOW + 2 * DAY)],
    ['the end of a certificate, if there is a problem', { ...active, problem }, undefined, current.notAfter],
    ['the earlier end', { ...active, problem }, new Date(NOW + 2 * DAY), current.notAfter],
    ['the earlier end', { ...active, problem }, new Date(NOW + MINUTE), new Date(NOW + MINUTE)],
    ['the end of the grace period, without a certificate', verified(1), new Date(NOW + 1), new Date(NOW + 1)],
    ['nothing, if it is not served any more', active, new Date(NOW), undefined],
    ['nothing, if no project holds it', domain, new Date(NOW + DAY), undefined],
  ])('tells until when it is served: %s', (_what, given, graceEnd, servedUntil) => {
    expect(domainStateOf(stored(given), NOW, graceEnd).servedUntil).toEqual(servedUntil);
  });

  test('during the grace period, the problem names its end and the plan to choose', () => {
    const state = domainStateOf(stored(active), NOW, new Date(NOW + 2 * DAY));
    expect(state.problem?.message).toContain('until 2026-11-23 at 12:00 UTC');
    expect(state.problem?.message).toContain('Pro or above');
  });

  test.each([
    ['cname_mismatch', true],
    ['caa_blocks', true],
    ['ca_unavailable', false],
    ['dns_unavailable', false],
  ] as const)('the problem %s of a certified domain says when it goes dark: %s', (code, says) => {
    const state = domainStateOf(stored({ ...active, problem: { ...problem, code } }), NOW, undefined);
    expect(state.problem?.message.includes('expires on 2026-11-22 at 12:00 UTC')).toBe(says);
  });

  test('a domain that no project holds is not suspended, because it was never served', () => {
    expect(domainStateOf(stored(domain), NOW, new Date(NOW - 1)).status).toBe('pending');
  });
});

describe('when domains of a project are no longer served', () => {
  const project: Project = {
    id: 'proj_1',
    name: 'Shop',
    slug: 'shop',
    plan: 'free',
    createdAt: new Date(NOW - 90 * DAY),
  };
  test.each<[string, Partial<Project>, Date | undefined]>([
    ['not as long as its plan includes them', { plan: 'pro' }, undefined],
    ['a grace period after a downgrade', { domainsLapsedAt: new Date(NOW) }, new Date(NOW + 7 * DAY)],
    ['never served on a plan that never did', {}, project.createdAt],
  ])('%s', (_what, change, endAt) => {
    expect(domainsEndAt({ ...project, ...change }, 7 * DAY)).toEqual(endAt);
  });
});
