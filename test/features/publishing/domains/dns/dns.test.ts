import { createDns, type DnsUnavailable } from '../../../../../src/features/publishing/domains/dns/dns.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

let knot: Knot;

beforeAll(async () => {
  knot = await startKnot();
});
afterAll(() => knot.close());

const dns = () => createDns({ servers: [knot.address], timeoutMs: 20_000 });

/** What a look-up fails with. */
async function failure(lookUp: Promise<unknown>): Promise<Pick<DnsUnavailable, 'lookedUp' | 'reason'>> {
  const { lookedUp, reason } = await lookUp.then(
    () => {
      throw new Error('there was an answer');
    },
    (error: unknown) => error as DnsUnavailable,
  );
  return { lookedUp, reason };
}

describe('a DNS lookup', () => {
  test('answers with the records, in lower case and without a trailing dot', async () => {
    await knot.set('alias.example.com', 'CNAME', 'MY-Shop.Pets.example.net.');
    await knot.set('both.example.com', 'A', '192.0.2.1', '192.0.2.2');
    await knot.set('both.example.com', 'AAAA', '2001:db8::1');
    expect(await dns().cname('alias.example.com')).toEqual({
      nameExists: true,
      records: ['my-shop.pets.example.net'],
    });
    const { records } = await dns().addresses4('both.example.com');
    expect([...records].sort()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect((await dns().addresses6('both.example.com')).records).toEqual(['2001:db8::1']);
  });

  test('distinguishes a name without such a record from a missing name', async () => {
    await knot.set('text.example.com', 'TXT', '"here"');
    expect(await dns().cname('text.example.com')).toEqual({ nameExists: true, records: [] });
    expect(await dns().addresses4('none.example.com')).toEqual({ nameExists: false, records: [] });
  });

  test('sees a change at once, through the same resolver as before', async () => {
    const same = dns();
    await knot.set('live.example.com', 'A', '192.0.2.1');
    expect((await same.addresses4('live.example.com')).records).toEqual(['192.0.2.1']);
    await knot.set('live.example.com', 'A', '192.0.2.2');
    expect((await same.addresses4('live.example.com')).records).toEqual(['192.0.2.2']);
    await knot.unset('live.example.com', 'A');
    expect((await same.addresses4('live.example.com')).records).toEqual([]);
    await knot.set('live.example.com', 'A', '192.0.2.3');
    expect((await same.addresses4('live.example.com')).records).toEqual(['192.0.2.3']);
  });

  test('puts the strings of a TXT record together', async () => {
    await knot.set('long.example.com', 'TXT', '"one " "two"', '"other"');
    expect([...(await dns().txt('long.example.com')).records].sort()).toEqual(['one two', 'other']);
  });

  test('gets an answer too long for UDP', async () => {
    const texts = Array.from({ length: 30 }, (_, i) => `${i}${'x'.repeat(200)}`);
    await knot.set('many.example.com', 'TXT', ...texts.map((text) => `"${text}"`));
    expect(new Set((await dns().txt('many.example.com')).records)).toEqual(new Set(texts));
  });

  test('reads CAA records whatever their tag', async () => {
    await knot.set(
      'caa.example.com',
      'CAA',
      '0 Issue "ca.example; a=b"',
      '128 tbs "x"',
      '1 type "y"',
      '0 issue ";"',
    );
    expect(new Set((await dns().caa('caa.example.com')).records)).toEqual(
      new Set([
        { flags: 0, tag: 'issue', value: 'ca.example; a=b' },
        { flags: 128, tag: 'tbs', value: 'x' },
        { flags: 1, tag: 'type', value: 'y' },
        { flags: 0, tag: 'issue', value: ';' },
      ]),
    );
  });

  test('of every type fails if the server lost the zone, until it is fixed', async () => {
    await knot.breakZone('broken.example.org');
    const name = 'shop.broken.example.org';
    for (const type of ['cname', 'addresses4', 'addresses6', 'txt', 'caa'] as const)
      expect(await failure(dns()[type](name))).toEqual({ lookedUp: name, reason: 'SERVFAIL' });
    await knot.removeZone('broken.example.org');
    expect((await dns().cname(name)).nameExists).toBe(false);
  });

  test('fails if the server rejects the query, until it is fixed', async () => {
    const other = await startKnot({ zones: ['example.net'] });
    try {
      const asking = createDns({ servers: [other.address], timeoutMs: 20_000 });
      expect((await failure(asking.cname('shop.example.com'))).reason).toBe('REFUSED');
      await other.addZone('example.com');
      await other.set('shop.example.com', 'CNAME', 'my-shop.pets.example.net.');
      expect((await asking.cname('shop.example.com')).records).toEqual(['my-shop.pets.example.net']);
    } finally {
      await other.close();
    }
  });

  test('fails if the server never answers, until it does', async () => {
    await knot.set('silent.example.com', 'A', '192.0.2.1');
    const impatient = createDns({ servers: [knot.address], timeoutMs: 200 });
    await knot.pause();
    try {
      expect((await failure(impatient.addresses4('silent.example.com'))).reason).toBe('TIMEOUT');
    } finally {
      knot.resume();
    }
    expect((await dns().addresses4('silent.example.com')).records).toEqual(['192.0.2.1']);
  });

  test('fails without a server, and continues with the next one', async () => {
    const gone = await startKnot();
    await gone.close();
    expect((await failure(createDns({ servers: [gone.address] }).caa('example.com'))).reason).toBe(
      'CONNREFUSED',
    );

    await knot.set('second.example.com', 'A', '192.0.2.1');
    const both = createDns({ servers: [gone.address, knot.address] });
    expect((await both.addresses4('second.example.com')).records).toEqual(['192.0.2.1']);
  });

  test('goes on to the next server where the first never answers', async () => {
    const silent = await startKnot();
    await silent.pause();
    try {
      await knot.set('third.example.com', 'A', '192.0.2.1');
      const both = createDns({ servers: [silent.address, knot.address], timeoutMs: 8000 });
      expect((await both.addresses4('third.example.com')).records).toEqual(['192.0.2.1']);
    } finally {
      await silent.close();
    }
  });
});

describe('the DNS server of the tests', () => {
  test('refuses, as a registrar does, an A record beside a CNAME, and keeps what was there', async () => {
    await knot.set('strict.example.com', 'CNAME', 'a.example.net.');
    await expect(knot.set('strict.example.com', 'A', '192.0.2.1')).rejects.toThrow();
    expect((await dns().cname('strict.example.com')).records).toEqual(['a.example.net']);
  });
});
