import { checkCaa } from '../../../../../src/features/publishing/domains/dns/check-caa.js';
import { createDns, type Dns } from '../../../../../src/features/publishing/domains/dns/dns.js';
import type { Fault } from '../../../../../src/features/publishing/domains/problem.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

let knot: Knot;
let dns: Dns;

beforeAll(async () => {
  knot = await startKnot();
  dns = createDns({ servers: [knot.address], timeoutMs: 20_000 });
});
afterAll(() => knot.close());

const PASSED = { passed: true };
const BLOCKED = { passed: false, fault: { code: 'caa_blocks' } };
let count = 0;
let domain: string;
let name: string;
beforeEach(() => {
  domain = `caa-${(count += 1)}.example`;
  name = `shop.${domain}`;
});
const check = (identities: readonly string[] = ['ca.example']) => checkCaa(name, identities, dns);

describe('CAA records', () => {
  test('that do not exist block nothing', async () => {
    expect(await check()).toEqual(PASSED);
  });

  test.each<[string, string[], boolean]>([
    ['that name the authority', ['0 issue "ca.example"'], true],
    ['that name the authority in capitals', ['0 ISSUE "CA.Example"'], true],
    ['that name it with parameters', ['0 issue " ca.example ; account=1; x=y"'], true],
    ['that name it among others', ['0 issue "other.example"', '0 issue "ca.example"'], true],
    ['that name others', ['0 issue "other.example"', '0 issue "third.example"'], false],
    ['that name a name above it', ['0 issue "example"'], false],
    ['that permit nobody', ['0 issue ";"'], false],
    ['that permit nobody, in no word', ['0 issue ""'], false],
    ['that permit nobody, with parameters', ['0 issue "; account=1"'], false],
    ['that permit nobody and the authority', ['0 issue ";"', '0 issue "ca.example"'], true],
    ['that are about wildcards', ['0 issuewild ";"'], true],
    ['that let it issue wildcards only', ['0 issue ";"', '0 issuewild "ca.example"'], false],
    ['that only report', ['0 iodef "mailto:security@example.com"'], true],
    [
      'that are critical and well known',
      ['128 issue "ca.example"', '128 iodef "mailto:a@example.com"'],
      true,
    ],
    ['that are critical and unknown', ['0 issue "ca.example"', '128 tbs "x"'], false],
    ['that are critical by a common mistake, and unknown', ['0 issue "ca.example"', '1 tbs "x"'], false],
    ['that are unknown', ['0 tbs "x"'], true],
    ['that permit it by HTTP', ['0 issue "ca.example; validationmethods=dns-01,http-01"'], true],
    ['that permit it by HTTP only', ['0 issue "ca.example; validationmethods = http-01 "'], true],
    [
      'that permit it by HTTP, with spaces',
      ['0 issue "ca.example; validationmethods=dns-01 , http-01"'],
      true,
    ],
    ['that restrict by what is not known', ['0 issue "ca.example; xvalidationmethods=dns-01"'], true],
    ['that permit it by DNS only, with spaces', ['0 issue "ca.example; validationmethods = dns-01"'], false],
    ['that permit it by DNS only', ['0 issue "ca.example; validationmethods=dns-01"'], false],
  ])('%s: %j, permits %s', async (_what, values, permits) => {
    await knot.set(name, 'CAA', ...values);
    expect(await check()).toMatchObject(permits ? PASSED : BLOCKED);
  });

  test('that block are reported with their place and a fix, until they are fixed', async () => {
    await knot.set(domain, 'CAA', '0 issue "other.example"');
    expect(await check(['ca.example', 'ca.test'])).toEqual({
      passed: false,
      fault: {
        code: 'caa_blocks',
        name,
        recordName: domain,
        expected: '0 issue "ca.example" or 0 issue "ca.test"',
        found: '0 issue "other.example"',
      },
    });
    await knot.set(domain, 'CAA', '0 issue "other.example"', '0 issue "ca.test"');
    expect(await check(['ca.example', 'ca.test'])).toEqual(PASSED);
  });

  test('that are critical and unknown are reported as what to remove, and a missing permission as what to add', async () => {
    await knot.set(name, 'CAA', '0 issue "ca.example"', '128 tbs "x"');
    const { fault } = (await check()) as { fault: Fault };
    expect(fault).toMatchObject({ code: 'caa_blocks', unknown: '128 tbs "x"' });
    expect(fault).not.toHaveProperty('expected');
    await knot.set(name, 'CAA', '0 issue "other.example"', '128 tbs "x"');
    expect(await check()).toMatchObject({
      fault: { expected: '0 issue "ca.example"', unknown: '128 tbs "x"' },
    });
    await knot.set(name, 'CAA', '0 issue "other.example"', '0 issue "ca.example"');
    expect(await check()).toEqual(PASSED);
  });

  test('of the nearest name count, those above it do not', async () => {
    await knot.set(domain, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject(BLOCKED);
    await knot.set(name, 'CAA', '0 issue "ca.example"');
    expect(await check()).toEqual(PASSED);
  });

  test('of the top-level domain count when there are no others', async () => {
    const top = `top-${count}`;
    name = `shop.my.${top}`;
    await knot.set(top, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject({ fault: { code: 'caa_blocks', recordName: top } });
  });

  test('of the CNAME target count, those above it do not', async () => {
    const platform = `platform-${count}.test`;
    await knot.addZone(platform);
    await knot.set(name, 'CNAME', `my-shop.${platform}.`);
    await knot.set(platform, 'CAA', '0 issue ";"');
    expect(await check()).toEqual(PASSED);
    await knot.set(`my-shop.${platform}`, 'CAA', '0 issue "other.example"');
    expect(await check()).toMatchObject({ fault: { recordName: `my-shop.${platform}` } });
    await knot.set(`my-shop.${platform}`, 'CAA', '0 issue "ca.example"');
    await knot.set(domain, 'CAA', '0 issue ";"');
    expect(await check()).toEqual(PASSED);
    await knot.unset(`my-shop.${platform}`, 'CAA');
    expect(await check()).toMatchObject({ fault: { recordName: domain } });
  });

  test('block an authority that names no identity only when they permit nobody', async () => {
    await knot.set(name, 'CAA', '0 issue "other.example"');
    expect(await check([])).toEqual(PASSED);
    await knot.set(name, 'CAA', '0 issue ";"');
    expect(await check([])).toEqual({
      passed: false,
      fault: { code: 'caa_blocks', name, recordName: name, found: '0 issue ";"' },
    });
  });

  test('are unknown, not absent, while DNS fails at any parent name, until it is fixed', async () => {
    await knot.addZone(name);
    await knot.breakZone(domain);
    expect(await check()).toEqual({
      passed: false,
      fault: { code: 'dns_unavailable', name: domain, reason: 'SERVFAIL' },
    });
    await knot.removeZone(domain);
    expect(await check()).toEqual(PASSED);
  });

  test('are unknown if CNAME records form a loop, as for the authority’s resolver', async () => {
    await knot.set(name, 'CNAME', `${name}.`);
    expect(await check()).toMatchObject({ fault: { code: 'dns_unavailable', name } });
    await knot.unset(name, 'CNAME');
    expect(await check()).toEqual(PASSED);
  });
});
