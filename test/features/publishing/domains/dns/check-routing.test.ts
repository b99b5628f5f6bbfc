import { checkRouting } from '../../../../../src/features/publishing/domains/dns/check-routing.js';
import { createDns, type Dns } from '../../../../../src/features/publishing/domains/dns/dns.js';
import {
  startFaultyDns,
  type DnsFault,
  type FaultyDns,
  type Question,
} from '../../../../support/faulty-dns.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

const PLATFORM = 'my-shop.pets.test';
const BY_NAME = { passed: true, leadsBy: 'name' };
const BY_ADDRESSES = { passed: true, leadsBy: 'addresses' };
let knot: Knot;
let dns: Dns;

beforeAll(async () => {
  knot = await startKnot();
  dns = createDns({ servers: [knot.address], timeoutMs: 20_000 });
});
afterAll(() => knot.close());

/** A registered domain of its own for each test. */
let count = 0;
const newDomain = () => `routing-${(count += 1)}.example`;

describe('a subdomain', () => {
  const check = (name: string) => checkRouting({ name, isApex: false }, { platformHost: PLATFORM }, dns);
  let name: string;
  beforeEach(() => {
    name = `shop.${newDomain()}`;
  });
  const addCname = () => knot.set(name, 'CNAME', `${PLATFORM}.`);

  test('that DNS does not know is nxdomain, until its CNAME is added', async () => {
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'nxdomain', name, record: 'CNAME', expected: PLATFORM },
    });
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('that has other records only is no_record, until its CNAME is added', async () => {
    await knot.set(name, 'TXT', '"something"');
    expect(await check(name)).toMatchObject({ fault: { code: 'no_record', expected: PLATFORM } });
    await knot.unset(name, 'TXT');
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('whose CNAME leads elsewhere is cname_mismatch, until it is changed', async () => {
    await knot.set(name, 'CNAME', 'other-shop.pets.test.');
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'cname_mismatch', name, expected: PLATFORM, found: 'other-shop.pets.test' },
    });
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('whose CNAME has the addresses of the platform but not its name is cname_mismatch', async () => {
    const twin = `twin.${newDomain()}`;
    await knot.set(twin, 'A', '198.51.100.1');
    await knot.set(PLATFORM, 'A', '198.51.100.1');
    await knot.set(name, 'CNAME', `${twin}.`);
    expect(await check(name)).toMatchObject({ fault: { code: 'cname_mismatch', found: twin } });
  });

  test('with an A record elsewhere and no CNAME is conflicting_a_record, until it is replaced', async () => {
    await knot.set(name, 'A', '192.0.2.1');
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'conflicting_a_record', name, expected: PLATFORM, found: '192.0.2.1' },
    });
    await knot.set(name, 'AAAA', '2001:db8::1');
    expect(await check(name)).toMatchObject({ fault: { code: 'conflicting_a_record' } });
    await knot.unset(name, 'A');
    await knot.unset(name, 'AAAA');
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('with an AAAA record and no CNAME is conflicting_aaaa_record, until it is replaced', async () => {
    await knot.set(name, 'AAAA', '2001:db8::99');
    expect(await check(name)).toEqual({
      passed: false,
      fault: {
        code: 'conflicting_aaaa_record',
        name,
        record: 'CNAME',
        expected: PLATFORM,
        found: '2001:db8::99',
      },
    });
    await knot.unset(name, 'AAAA');
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('reaches the platform over CNAME records of other zones, eleven at most', async () => {
    const zone = newDomain();
    await knot.addZone(zone);
    const steps = Array.from({ length: 11 }, (_, i) => `step-${i}.${zone}`);
    await knot.set(name, 'CNAME', `${steps[1]}.`);
    for (let i = 1; i < 10; i += 1) await knot.set(`step-${i}.${zone}`, 'CNAME', `${steps[i + 1]}.`);
    await knot.set(`step-10.${zone}`, 'CNAME', `${PLATFORM}.`);
    expect(await check(name)).toEqual(BY_NAME);

    await knot.set(name, 'CNAME', `${steps[0]}.`);
    await knot.set(`step-0.${zone}`, 'CNAME', `${steps[1]}.`);
    expect(await check(name)).toMatchObject({ fault: { code: 'cname_loop' } });
  });

  test('whose CNAME leads to a name that does not exist is cname_mismatch, not nxdomain', async () => {
    await knot.set(name, 'CNAME', 'gone.example.org.');
    expect(await check(name)).toMatchObject({ fault: { code: 'cname_mismatch', found: 'gone.example.org' } });
  });

  test('whose CNAME leads to a name that cannot be looked up is cname_mismatch', async () => {
    await knot.set(name, 'CNAME', 'no\\032name.example.org.');
    expect(await check(name)).toMatchObject({
      fault: { code: 'cname_mismatch', found: 'no name.example.org' },
    });
  });

  test.each([
    ['to itself', (at: string) => [[at, at]]],
    [
      'in a circle',
      (at: string) => [
        [at, `a.${at}`],
        [`a.${at}`, `b.${at}`],
        [`b.${at}`, `a.${at}`],
      ],
    ],
  ])('whose CNAME leads %s is cname_loop, until it is fixed', async (_way, records) => {
    for (const [from = '', to = ''] of records(name)) await knot.set(from, 'CNAME', `${to}.`);
    expect(await check(name)).toMatchObject({ fault: { code: 'cname_loop', name, expected: PLATFORM } });
    await addCname();
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('whose DNS server fails is dns_unavailable, until it is fixed', async () => {
    const domain = name.replace('shop.', '');
    await addCname();
    await knot.breakZone(domain);
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'dns_unavailable', name, reason: 'SERVFAIL', recordType: 'A' },
    });
    await knot.removeZone(domain);
    expect(await check(name)).toEqual(BY_NAME);
  });

  test('whose CNAME leads to where DNS fails is dns_unavailable, not a wrong record', async () => {
    const broken = newDomain();
    await knot.breakZone(broken);
    await knot.set(name, 'CNAME', `cdn.${broken}.`);
    expect(await check(name)).toMatchObject({ fault: { code: 'dns_unavailable', name: `cdn.${broken}` } });
  });

  test('whose DNS server never answers is dns_unavailable, until it does', async () => {
    await addCname();
    const impatient = createDns({ servers: [knot.address], timeoutMs: 200 });
    await knot.pause();
    try {
      expect(
        await checkRouting({ name, isApex: false }, { platformHost: PLATFORM }, impatient),
      ).toMatchObject({ fault: { code: 'dns_unavailable', reason: 'TIMEOUT' } });
    } finally {
      knot.resume();
    }
    expect(await check(name)).toEqual(BY_NAME);
  });
});

describe('a subdomain without a CNAME record', () => {
  const check = (name: string, platformAddresses: string[] = []) =>
    checkRouting({ name, isApex: false }, { platformHost: PLATFORM, platformAddresses }, dns);
  let name: string;
  beforeEach(async () => {
    name = `shop.${newDomain()}`;
    await knot.set(PLATFORM, 'A', '198.51.100.1', '198.51.100.2');
    await knot.set(PLATFORM, 'AAAA', '2001:db8::1');
  });
  const setAddresses = async (v4: string[], v6: string[]) => {
    await knot.set(name, 'A', ...v4);
    await knot.set(name, 'AAAA', ...v6);
  };

  test.each<[string, string[], string[]]>([
    ['all addresses of the platform', ['198.51.100.2', '198.51.100.1'], ['2001:db8::1']],
    ['its A records', ['198.51.100.2', '198.51.100.1'], []],
    ['a fixed address of the platform', ['203.0.113.5'], []],
  ])('leads here by %s', async (_what, v4, v6) => {
    await setAddresses(v4, v6);
    expect(await check(name, ['203.0.113.5', '203.0.113.6'])).toEqual(BY_ADDRESSES);
  });

  test('leads here by its addresses if it is a zone of its own, where DNS allows no CNAME record', async () => {
    await knot.addZone(name);
    await expect(knot.set(name, 'CNAME', `${PLATFORM}.`)).rejects.toThrow();
    await setAddresses(['198.51.100.1', '198.51.100.2'], ['2001:db8::1']);
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test.each<[string, string[], string[]]>([
    ['one address too few', ['198.51.100.1'], ['2001:db8::1']],
    ['one address too many', ['198.51.100.1', '198.51.100.2', '192.0.2.1'], ['2001:db8::1']],
  ])('with %s is conflicting_a_record', async (_what, v4, v6) => {
    await setAddresses(v4, v6);
    expect(await check(name)).toMatchObject({ fault: { code: 'conflicting_a_record', expected: PLATFORM } });
  });

  test('with an AAAA record of its own beside the right A records names that one only, until it is removed', async () => {
    await setAddresses(['198.51.100.1', '198.51.100.2'], ['2001:db8::1', '2001:db8::99']);
    expect(await check(name)).toMatchObject({
      fault: { code: 'conflicting_aaaa_record', record: 'ALIAS', found: '2001:db8::99' },
    });
    await knot.unset(name, 'AAAA');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('keeps its record in the way where the platform has no address to compare', async () => {
    await knot.unset(PLATFORM, 'A');
    await knot.unset(PLATFORM, 'AAAA');
    await setAddresses(['198.51.100.1'], []);
    expect(await check(name)).toMatchObject({ fault: { code: 'conflicting_a_record' } });
  });
});

describe('a name server that fails for one type of record', () => {
  const FAULTS: DnsFault[] = ['SERVFAIL', 'NOTIMP', 'REFUSED'];
  let faulty: FaultyDns;
  let name: string;
  let broken: { type: Question['type']; fault: DnsFault; of: string };
  beforeAll(async () => {
    faulty = await startFaultyDns(knot, (asked) =>
      asked.type === broken.type && asked.name === broken.of ? broken.fault : undefined,
    );
  });
  afterAll(() => faulty.close());
  beforeEach(async () => {
    name = newDomain();
    await knot.set(PLATFORM, 'A', '198.51.100.1');
    await knot.set(PLATFORM, 'AAAA', '2001:db8::1');
  });
  function check(at: string, type: Question['type'], fault: DnsFault, of = at) {
    broken = { type, fault, of };
    const asking = createDns({ servers: [faulty.address], timeoutMs: fault === 'silence' ? 5000 : 20_000 });
    return checkRouting({ name: at, isApex: at === name }, { platformHost: PLATFORM }, asking);
  }

  test('by silence: what it answers decides', async () => {
    await knot.set(name, 'A', '198.51.100.1');
    await knot.set(`shop.${name}`, 'CNAME', `${PLATFORM}.`);
    expect(await check(name, 'AAAA', 'silence')).toEqual(BY_ADDRESSES);
    expect(await check(`shop.${name}`, 'CNAME', 'silence')).toEqual(BY_ADDRESSES);
  });

  describe.each(FAULTS)('(%s)', (fault) => {
    test('AAAA: the A records of an apex decide', async () => {
      await knot.set(name, 'A', '198.51.100.1');
      expect(await check(name, 'AAAA', fault)).toEqual(BY_ADDRESSES);
      await knot.set(name, 'A', '192.0.2.1');
      expect(await check(name, 'AAAA', fault)).toMatchObject({
        fault: { code: 'apex_address_mismatch', found: '192.0.2.1' },
      });
    });

    test('A: the AAAA records of an apex decide', async () => {
      await knot.set(name, 'AAAA', '2001:db8::1');
      expect(await check(name, 'A', fault)).toEqual(BY_ADDRESSES);
    });

    test('AAAA: nothing is known of an apex without A records', async () => {
      await knot.set(name, 'TXT', '"something"');
      expect(await check(name, 'AAAA', fault)).toEqual({
        passed: false,
        fault: { code: 'dns_unavailable', name, reason: fault, recordType: 'AAAA' },
      });
    });

    test('AAAA: a name that does not exist is nxdomain', async () => {
      expect(await check(name, 'AAAA', fault)).toMatchObject({ fault: { code: 'nxdomain' } });
    });

    test('CNAME: the addresses of an apex decide', async () => {
      await knot.set(name, 'A', '198.51.100.1');
      expect(await check(name, 'CNAME', fault)).toEqual(BY_ADDRESSES);
    });

    test('CNAME: the addresses that the CNAME record of a subdomain leads to decide', async () => {
      const shop = `shop.${name}`;
      await knot.set(shop, 'CNAME', `${PLATFORM}.`);
      expect(await check(shop, 'CNAME', fault)).toEqual(BY_ADDRESSES);
      await knot.set(shop, 'CNAME', `www.${name}.`);
      await knot.set(`www.${name}`, 'A', '192.0.2.1');
      expect(await check(shop, 'CNAME', fault)).toEqual({
        passed: false,
        fault: { code: 'dns_unavailable', name: shop, reason: fault, recordType: 'CNAME' },
      });
    });

    test('AAAA of the platform itself: its A records decide', async () => {
      await knot.set(name, 'A', '198.51.100.1');
      expect(await check(name, 'AAAA', fault, PLATFORM)).toEqual(BY_ADDRESSES);
      await knot.set(name, 'AAAA', '2001:db8::1');
      expect(await check(name, 'AAAA', fault, PLATFORM)).toMatchObject({
        fault: { code: 'dns_unavailable', name: PLATFORM },
      });
    });
  });
});

describe('an apex', () => {
  const check = (name: string) => checkRouting({ name, isApex: true }, { platformHost: PLATFORM }, dns);
  let name: string;
  beforeEach(async () => {
    name = newDomain();
    await knot.set(PLATFORM, 'A', '198.51.100.1', '198.51.100.2');
    await knot.set(PLATFORM, 'AAAA', '2001:db8::1');
  });
  /** The addresses that it lacks; a name server gives them in any order. */
  const listed = (result: Awaited<ReturnType<typeof check>>) =>
    'fault' in result && result.fault.code === 'apex_address_mismatch'
      ? result.fault.missing?.split(', ').sort()
      : undefined;
  /** As a provider with ALIAS records answers: with the addresses of where they lead. */
  async function addAlias(): Promise<void> {
    await knot.set(name, 'A', '198.51.100.2', '198.51.100.1');
    await knot.set(name, 'AAAA', '2001:db8:0::1');
  }

  test('that DNS does not know is nxdomain, until its ALIAS is added', async () => {
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'nxdomain', name, record: 'ALIAS', expected: PLATFORM },
    });
    await addAlias();
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('that has no address is no_record, until its ALIAS is added', async () => {
    await knot.set(name, 'TXT', '"something"');
    expect(await check(name)).toMatchObject({ fault: { code: 'no_record', record: 'ALIAS' } });
    await addAlias();
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test.each([
    ['another address', ['192.0.2.1'], '192.0.2.1, 2001:db8::1'],
    ['one address too few', ['198.51.100.1'], '198.51.100.1, 2001:db8::1'],
  ])('with %s is apex_address_mismatch, until it is fixed', async (_what, addresses, found) => {
    await addAlias();
    await knot.set(name, 'A', ...addresses);
    expect(await check(name)).toMatchObject({
      fault: { code: 'apex_address_mismatch', name, platformHost: PLATFORM, found },
    });
    await addAlias();
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('with one extra address is apex_address_mismatch, until it is fixed', async () => {
    await addAlias();
    await knot.set(name, 'A', '198.51.100.1', '198.51.100.2', '192.0.2.1');
    expect(await check(name)).toMatchObject({ fault: { code: 'apex_address_mismatch' } });
    await addAlias();
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('passes without the platform’s AAAA record, since visitors and authorities get there over IPv4', async () => {
    await addAlias();
    await knot.unset(name, 'AAAA');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test.each<[string, string[], string[], string, string]>([
    ['an A record', ['198.51.100.1'], [], '198.51.100.1', '198.51.100.2'],
    ['all A records', [], ['2001:db8::1'], '2001:db8::1', '198.51.100.1, 198.51.100.2'],
  ])(
    'without %s of the platform names what it lacks, until it is added',
    async (_what, v4, v6, found, missing) => {
      await knot.set(name, 'A', ...v4);
      await knot.set(name, 'AAAA', ...v6);
      const result = await check(name);
      expect(result).toEqual({
        passed: false,
        fault: {
          code: 'apex_address_mismatch',
          name,
          platformHost: PLATFORM,
          expected: expect.stringContaining('2001:db8::1') as string,
          found,
          missing: expect.any(String) as string,
        },
      });
      expect(listed(result)).toEqual(missing.split(', '));
      await addAlias();
      expect(await check(name)).toEqual(BY_ADDRESSES);
    },
  );

  test('with an AAAA record of its own beside the right addresses is conflicting_aaaa_record, until it is removed', async () => {
    await addAlias();
    await knot.set(name, 'AAAA', '2001:db8::1', '2001:db8::99');
    expect(await check(name)).toMatchObject({
      fault: { code: 'conflicting_aaaa_record', name, record: 'ALIAS', found: '2001:db8::99' },
    });
    await addAlias();
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('with an AAAA record is conflicting_aaaa_record when the platform has none', async () => {
    await knot.unset(PLATFORM, 'AAAA');
    await addAlias();
    expect(await check(name)).toMatchObject({ fault: { code: 'conflicting_aaaa_record' } });
    await knot.unset(name, 'AAAA');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('with an AAAA record of its own and a wrong address is apex_address_mismatch', async () => {
    await knot.set(name, 'A', '192.0.2.1');
    await knot.set(name, 'AAAA', '2001:db8::99');
    expect(await check(name)).toMatchObject({ fault: { code: 'apex_address_mismatch' } });
  });

  test('has the addresses of the platform also where that is a CNAME to a load balancer', async () => {
    await knot.unset(PLATFORM, 'A');
    await knot.unset(PLATFORM, 'AAAA');
    await knot.set('balancer.example.org', 'A', '198.51.100.9');
    await knot.set(PLATFORM, 'CNAME', 'balancer.example.org.');
    try {
      await knot.set(name, 'A', '198.51.100.9');
      expect(await check(name)).toEqual(BY_ADDRESSES);
    } finally {
      await knot.unset(PLATFORM, 'CNAME');
    }
  });

  test('that a provider answers for with a CNAME passes, and in a circle is cname_loop', async () => {
    await knot.set(name, 'CNAME', `${PLATFORM}.`);
    expect(await check(name)).toEqual(BY_ADDRESSES);
    await knot.set(name, 'CNAME', `${name}.`);
    expect(await check(name)).toMatchObject({ fault: { code: 'cname_loop', name } });
    await knot.set(name, 'CNAME', 'gone.example.org.');
    expect(await check(name)).toMatchObject({
      fault: { code: 'apex_address_mismatch', found: 'gone.example.org' },
    });
  });

  test('is dns_unavailable if its DNS server fails, until it is fixed', async () => {
    await addAlias();
    await knot.breakZone(name);
    expect(await check(name)).toEqual({
      passed: false,
      fault: { code: 'dns_unavailable', name, reason: 'SERVFAIL', recordType: 'A' },
    });
    await knot.removeZone(name);
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('is dns_unavailable if the platform itself has no address', async () => {
    await addAlias();
    await knot.unset(PLATFORM, 'A');
    await knot.unset(PLATFORM, 'AAAA');
    expect(await check(name)).toMatchObject({ fault: { code: 'dns_unavailable', name: PLATFORM } });
  });
});

describe('an apex, where the platform has fixed addresses', () => {
  const FIXED = ['203.0.113.5', '203.0.113.6', '2001:db8:1::5'];
  const check = (name: string) =>
    checkRouting({ name, isApex: true }, { platformHost: PLATFORM, platformAddresses: FIXED }, dns);
  let name: string;
  beforeEach(async () => {
    name = newDomain();
    await knot.set(PLATFORM, 'A', '198.51.100.1');
    await knot.set(PLATFORM, 'AAAA', '2001:db8::1');
  });

  test.each<[string, string[], string[]]>([
    ['all of them', ['203.0.113.5', '203.0.113.6'], ['2001:db8:1::5']],
    ['one of them', ['203.0.113.6'], []],
    ['an IPv6 address of them', [], ['2001:db8:1::5']],
    ['those that the platform host has, as ALIAS gives', ['198.51.100.1'], ['2001:db8::1']],
  ])('passes with %s', async (_what, v4, v6) => {
    await knot.set(name, 'A', ...v4);
    await knot.set(name, 'AAAA', ...v6);
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('passes although the platform host has no address', async () => {
    await knot.unset(PLATFORM, 'A');
    await knot.unset(PLATFORM, 'AAAA');
    await knot.set(name, 'A', '203.0.113.5');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('with a foreign address is apex_address_mismatch that names the fixed ones, until it is removed', async () => {
    await knot.set(name, 'A', '203.0.113.5', '192.0.2.1');
    const addresses = FIXED.join(', ');
    expect(await check(name)).toMatchObject({
      fault: {
        code: 'apex_address_mismatch',
        expected: addresses,
        addresses,
        found: expect.stringContaining('192.0.2.1') as string,
      },
    });
    await knot.set(name, 'A', '203.0.113.5');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('with a foreign AAAA record is conflicting_aaaa_record, until it is removed', async () => {
    await knot.set(name, 'A', '203.0.113.5');
    await knot.set(name, 'AAAA', '2001:db8::99');
    expect(await check(name)).toMatchObject({
      fault: { code: 'conflicting_aaaa_record', found: '2001:db8::99' },
    });
    await knot.unset(name, 'AAAA');
    expect(await check(name)).toEqual(BY_ADDRESSES);
  });

  test('without a record names the fixed addresses beside the ALIAS', async () => {
    expect(await check(name)).toMatchObject({
      fault: { code: 'nxdomain', expected: PLATFORM, addresses: FIXED.join(', ') },
    });
  });
});
