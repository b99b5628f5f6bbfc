import { checkOwnership } from '../../../../../src/features/publishing/domains/dns/check-ownership.js';
import { createDns, type Dns } from '../../../../../src/features/publishing/domains/dns/dns.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

let knot: Knot;
let dns: Dns;

beforeAll(async () => {
  knot = await startKnot();
  dns = createDns({ servers: [knot.address], timeoutMs: 20_000 });
});
afterAll(() => knot.close());

let count = 0;

describe('the ownership of a name', () => {
  let name: string;
  let recordName: string;
  beforeEach(() => {
    name = `shop.ownership-${(count += 1)}.example`;
    recordName = `_pets-gateway.${name}`;
  });
  const check = () => checkOwnership({ name, registrable: name.replace('shop.', '') }, 'token-1', dns);
  const required = { code: 'ownership_txt_required', expected: 'pets-gateway=token-1' };

  test('is not proved without its TXT record, and is with it', async () => {
    expect(await check()).toEqual({ passed: false, fault: { ...required, recordName } });
    await knot.set(recordName, 'TXT', '"pets-gateway=token-1"');
    expect(await check()).toEqual({ passed: true });
  });

  test('is not proved by the token of another project, and is once the right one stands among others', async () => {
    await knot.set(recordName, 'TXT', '"pets-gateway=token-2"');
    expect(await check()).toEqual({
      passed: false,
      fault: { ...required, recordName, found: 'pets-gateway=token-2' },
    });
    await knot.set(recordName, 'TXT', '"pets-gateway=token-2"', '"pets-" "gateway=token-1"');
    expect(await check()).toEqual({ passed: true });
  });

  test('is not proved by a TXT record at the name itself', async () => {
    await knot.set(name, 'TXT', '"pets-gateway=token-1"');
    expect(await check()).toMatchObject({ fault: required });
  });

  test('can be proved at a CNAME target', async () => {
    await knot.set(recordName, 'CNAME', `proofs.${name}.`);
    expect(await check()).toMatchObject({ fault: required });
    await knot.set(`proofs.${name}`, 'TXT', '"pets-gateway=token-1"');
    expect(await check()).toEqual({ passed: true });
    await knot.set(recordName, 'CNAME', `${recordName}.`);
    expect(await check()).toMatchObject({ fault: required });
  });

  test.each([
    ['quotes', '"\\"pets-gateway=token-1\\""'],
    ['typographic quotes', '"\\226\\128\\156pets-gateway=token-1\\226\\128\\157"'],
    ['quotes behind backslashes', '"\\\\\\"pets-gateway=token-1\\\\\\""'],
  ])('is not proved by a value in %s, which the fault names', async (_what, value) => {
    await knot.set(recordName, 'TXT', value);
    expect(await check()).toMatchObject({ fault: { ...required, mistake: { kind: 'quotes' } } });
    await knot.set(recordName, 'TXT', '"pets-gateway=token-2"');
    expect(await check()).not.toHaveProperty('fault.mistake');
  });

  test('is not proved at a doubled name, which the fault names', async () => {
    const registrable = name.replace('shop.', '');
    for (const [zone, label] of [
      [registrable, '_pets-gateway.shop'],
      [name, '_pets-gateway'],
    ]) {
      const foundAt = `${recordName}.${zone}`;
      await knot.set(foundAt, 'TXT', '"pets-gateway=token-2"');
      expect(await check()).not.toHaveProperty('fault.mistake');
      await knot.set(foundAt, 'TXT', '"pets-gateway=token-1"');
      expect(await check()).toMatchObject({
        fault: { ...required, mistake: { kind: 'doubled', foundAt, label } },
      });
      await knot.unset(foundAt, 'TXT');
    }
  });

  test('of a name below a wildcard CNAME record is not proved by a TXT record alone, and the fault says so', async () => {
    const domain = name.replace('shop.', '');
    await knot.set(`*.${domain}`, 'CNAME', 'my-shop.pets.test.');
    expect(await check()).toMatchObject({ fault: { ...required, mistake: { kind: 'wildcard', name } } });
    await knot.set(name, 'CNAME', 'my-shop.pets.test.');
    expect(await check()).not.toHaveProperty('fault.mistake');
    await knot.set(recordName, 'TXT', '"pets-gateway=token-1"');
    expect(await check()).toEqual({ passed: true });
    // The reason for the advice: with the TXT record alone, the wildcard ends for this name.
    await knot.unset(name, 'CNAME');
    expect(await dns.cname(name)).toEqual({ nameExists: true, records: [] });
  });

  test('is unproved although DNS fails where a mistake would be', async () => {
    await knot.breakZone(`${recordName}.${name}`);
    expect(await check()).toEqual({ passed: false, fault: { ...required, recordName } });
    await knot.removeZone(`${recordName}.${name}`);
  });

  test('is unknown, not unproved, while DNS fails', async () => {
    const domain = name.replace('shop.', '');
    await knot.set(recordName, 'TXT', '"pets-gateway=token-1"');
    await knot.breakZone(domain);
    expect(await check()).toEqual({
      passed: false,
      fault: { code: 'dns_unavailable', name: recordName, reason: 'SERVFAIL', recordType: 'TXT' },
    });
    await knot.removeZone(domain);
    expect(await check()).toEqual({ passed: true });
  });

  test('shows found records without characters that could harm a terminal or a page', async () => {
    await knot.set(
      recordName,
      'TXT',
      '"\\027[31mred\\155"',
      ...['a', 'b', 'c', 'd', 'e'].map((text) => `"${text.repeat(255)}" "x"`),
    );
    const outcome = await check();
    const found = !outcome.passed && 'found' in outcome.fault ? (outcome.fault.found ?? '') : '';
    expect(found).toContain('\u{fffd}[31mred\u{fffd}');
    expect(found.length).toBeLessThan(1400);
    expect(found).toMatch(/…$/);
  });
});
