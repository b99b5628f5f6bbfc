import type { ProblemCode } from '../../src/features/publishing/domains/problem.js';
import { hasProblem, isActive, isAnswered } from '../support/domain-gateway.js';
import type { RecordType } from '../support/knot.js';
import { useDomainGateway } from '../support/use-domain-gateway.js';

const { world, node } = useDomainGateway();

type Edit = [name: string, type: RecordType, ...values: string[]];

interface Trouble {
  code: ProblemCode;
  /** `NAME` stands for the domain, `HOST` for the project's host on the platform. */
  wrong: Edit[];
  name?: string;
}

const TROUBLES: [string, Trouble][] = [
  ['an A record in the way', { code: 'conflicting_a_record', wrong: [['NAME', 'A', '192.0.2.1']] }],
  [
    'an AAAA record in the way',
    { code: 'conflicting_aaaa_record', wrong: [['NAME', 'AAAA', '2001:db8::1']] },
  ],
  ['another value', { code: 'cname_mismatch', wrong: [['NAME', 'CNAME', 'other.pets.test.']] }],
  ['a TXT record alone', { code: 'no_record', wrong: [['NAME', 'TXT', '"hello"']] }],
  ['nothing at all', { code: 'nxdomain', wrong: [] }],
  [
    'a circle',
    {
      code: 'cname_loop',
      wrong: [
        ['NAME', 'CNAME', 'circle.NAME.'],
        ['circle.NAME', 'CNAME', 'NAME.'],
      ],
    },
  ],
  [
    'CAA records of an apex',
    {
      code: 'caa_blocks',
      wrong: [
        ['NAME', 'A', '127.0.0.1'],
        ['NAME', 'CAA', '0 issue "other.example"'],
      ],
      name: 'apex',
    },
  ],
  [
    'CAA records of where the CNAME leads',
    {
      code: 'caa_blocks',
      wrong: [
        ['NAME', 'CNAME', 'HOST.'],
        ['HOST', 'CAA', '0 issue "other.example"'],
      ],
    },
  ],
  [
    'CAA records of its parent',
    {
      code: 'caa_blocks',
      wrong: [
        ['NAME', 'CNAME', 'HOST.'],
        ['PARENT', 'CAA', '0 issue ";"'],
      ],
    },
  ],
  [
    'an apex with an address of its own',
    { code: 'apex_address_mismatch', wrong: [['NAME', 'A', '192.0.2.7']], name: 'apex' },
  ],
  [
    'an apex with an AAAA record too many',
    {
      code: 'conflicting_aaaa_record',
      wrong: [
        ['NAME', 'A', '127.0.0.1'],
        ['NAME', 'AAAA', '2001:db8::7'],
      ],
      name: 'apex',
    },
  ],
];

test.each(TROUBLES)(
  'reports %s, and serves the domain after the fix and another check',
  async (title, trouble) => {
    const { code, wrong, name: kind } = trouble;
    const parent = `${title.replace(/\W+/g, '-').toLowerCase()}.test`;
    const name = kind === 'apex' ? parent : `shop.${parent}`;
    const project = await node().project(title);
    const fill = (text: string) =>
      text.replace('NAME', name).replace('HOST', project.host).replace('PARENT', parent);
    for (const [at, type, ...values] of wrong) await world().knot.set(fill(at), type, ...values.map(fill));
    const domain = await node().domains.service.add(project.id, name);

    await node().verify(domain);
    const failed = await node().reaches(domain, code, hasProblem(code));
    expect(failed.certificate.current).toBeUndefined();
    expect(failed.problem?.message).not.toBe('');

    for (const [at, type] of wrong) await world().knot.unset(fill(at), type);
    if (kind === 'apex') await world().knot.set(name, 'A', '127.0.0.1');
    else await world().knot.set(name, 'CNAME', `${project.host}.`);
    await node().verify(domain);
    const active = await node().reaches(domain, 'a certificate', isActive);
    expect(active.problem).toBeUndefined();
  },
);

test('a DNS failure is no wrong record, and is retried automatically', async () => {
  const project = await node().project('Silent');
  await world().knot.breakZone('broken-zone.test');
  const domain = await node().domains.service.add(project.id, 'shop.broken-zone.test');
  await node().verify(domain);
  const { problem } = await node().reaches(domain, 'a problem', hasProblem('dns_unavailable'));
  expect(problem?.message).toContain('SERVFAIL');
  expect(problem?.retryAt?.getTime()).toBeGreaterThan(Date.now());
  await world().knot.removeZone('broken-zone.test');
  await world().knot.set(domain.name, 'CNAME', `${project.host}.`);
  await node().verify(domain);
  await node().reaches(domain, 'a certificate', isActive);
});

test('a silent DNS server is no wrong record', async () => {
  const project = await node().project('Timeout');
  const domain = await node().domains.service.add(project.id, 'shop.silent.test');
  await world().knot.set(domain.name, 'CNAME', `${project.host}.`);
  await world().knot.pause();
  try {
    await node().verify(domain);
    await node().reaches(domain, 'a problem', hasProblem('dns_unavailable'));
  } finally {
    world().knot.resume();
  }
  await node().verify(domain);
  await node().reaches(domain, 'a certificate', isActive);
});

test('an apex needs a TXT record only if another project has a name below it', async () => {
  const [first, second] = [await node().project('Apex one'), await node().project('Apex two')];
  await world().knot.set('proof.test', 'A', '127.0.0.1');
  const held = await node().domains.service.add(first.id, 'proof.test');
  expect(held.ownershipRequired).toBe(false);
  await node().verify(held);
  await node().reaches(held, 'a certificate', isActive);

  const claimed = await node().domains.service.add(second.id, 'proof.test');
  expect(claimed.ownershipRequired).toBe(true);
  await node().verify(claimed);
  await node().reaches(claimed, 'a problem', hasProblem('ownership_txt_required'));
  expect((await node().domains.store.holderOf('proof.test'))?.projectId).toBe(first.id);

  // Held once is enough: removed, it is not had again without proof either.
  await node().domains.service.remove(held.id);
  await node().verify(claimed);
  await node().reaches(claimed, 'an answer', isAnswered);
  expect((await node().domains.service.get(claimed.id)).problem?.code).toBe('ownership_txt_required');
  const records = await node().domains.service.recordsOf(claimed, second);
  const txt = records.find(({ type }) => type === 'TXT');
  await world().knot.set(txt?.fullName ?? '', 'TXT', `"${txt?.value ?? ''}"`);
  await node().verify(claimed);
  await node().reaches(claimed, 'a certificate', isActive);
});
