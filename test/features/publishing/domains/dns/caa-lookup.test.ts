import { createSocket } from 'node:dgram';
import { createDns, type DnsUnavailable } from '../../../../../src/features/publishing/domains/dns/dns.js';
import { startDnsInFront, type AskedOver, type Rewrite } from '../../../../support/dns-in-front.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

/** CAA lookups speak DNS by themselves: these tests put a server in front of a real one that answers badly. */
let knot: Knot;

beforeAll(async () => {
  knot = await startKnot();
  await knot.set('caa.example', 'CAA', '0 issue "ca.example"', '0 issuewild ""', '0 iodef ""');
  await knot.set('other.example', 'CAA', '0 issue "other.example"');
});
afterAll(() => knot.close());

const RIGHT = {
  nameExists: true,
  records: [
    { flags: 0, tag: 'iodef', value: '' },
    { flags: 0, tag: 'issue', value: 'ca.example' },
    { flags: 0, tag: 'issuewild', value: '' },
  ],
};

/** The answer about caa.example through servers, of which the first answers with what `rewrite` returns. */
async function answerThrough(rewrite: Rewrite, { others = [] as string[], timeoutMs = 20_000 } = {}) {
  const front = await startDnsInFront(knot, rewrite);
  try {
    const { records, ...answer } = await createDns({ servers: [front.address, ...others], timeoutMs }).caa(
      'caa.example',
    );
    return { ...answer, records: [...records].sort((a, b) => (a.tag < b.tag ? -1 : 1)) };
  } finally {
    await front.close();
  }
}

async function reasonThrough(rewrite: Rewrite, options = {}): Promise<string> {
  const error = await answerThrough(rewrite, options).then(
    () => undefined,
    (thrown: unknown) => thrown as DnsUnavailable,
  );
  expect(error).toMatchObject({ name: 'DnsUnavailable', lookedUp: 'caa.example', recordType: 'CAA' });
  return error?.reason ?? '';
}

/** A copy of a message with another byte at some places. */
function changed(message: Buffer, changes: Record<number, (byte: number) => number>): Buffer {
  const copy = Buffer.from(message);
  for (const [at, change] of Object.entries(changes)) copy[Number(at)] = change(copy[Number(at)] ?? 0);
  return copy;
}

const [ID, FLAGS, RCODE, ANSWERS, FIRST_OF_NAME] = [1, 2, 3, 7, 13];
const QUESTION_END = 12 + 'caa.example'.length + 2 + 4;
const [TRUNCATED, AUTHORITATIVE] = [0x02, 0x04];
const withRcode = (rcode: number) => (answer: Buffer) =>
  changed(answer, { [RCODE]: (byte) => (byte & 0xf0) | rcode });
const otherRecords = async () => {
  const { records } = await createDns({ servers: [knot.address] }).caa('other.example');
  return records;
};

test('empty values are values, and no record is invented', async () => {
  expect(await answerThrough((_query, answer) => [answer])).toEqual(RIGHT);
});

test('a name with a CNAME record answers with the target alone', async () => {
  await knot.set('alias.example', 'CNAME', 'Other.Example.');
  const dns = createDns({ servers: [knot.address] });
  expect(await dns.caa('alias.example')).toEqual({ nameExists: true, records: [], alias: 'other.example' });
  await knot.set('nowhere.example', 'CNAME', 'gone.example.');
  expect(await dns.caa('nowhere.example')).toEqual({ nameExists: true, records: [], alias: 'gone.example' });
  expect(await dns.caa('gone.example')).toEqual({ nameExists: false, records: [] });
});

test('names that cannot be in a query do not exist', async () => {
  const dns = createDns({ servers: [knot.address] });
  for (const name of [
    '',
    'a..example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}ab`,
    'a\\046b.example',
  ])
    expect(await dns.caa(name)).toEqual({ nameExists: false, records: [] });
  await knot.set('odd.example', 'CNAME', 'a\\.b.example.');
  expect(await dns.caa('odd.example')).toEqual({ nameExists: true, records: [], alias: 'a\\046b.example' });
});

test('a set that is too long for UDP comes over TCP', async () => {
  const tags = Array.from({ length: 60 }, (_, i) => `0 issue "ca-${i}${'x'.repeat(40)}.example"`);
  await knot.set('long.example', 'CAA', ...tags);
  const transports: string[] = [];
  const front = await startDnsInFront(knot, (_query, answer, { transport }) => {
    transports.push(transport);
    return [answer];
  });
  try {
    const { records } = await createDns({ servers: [front.address] }).caa('long.example');
    expect(new Set(records.map(({ value }) => value)).size).toBe(60);
    expect(transports).toEqual(['udp', 'tcp']);
  } finally {
    await front.close();
  }
});

test.each<[string, (answer: Buffer) => Buffer]>([
  ['another id', (answer) => changed(answer, { [ID]: (byte) => byte ^ 1 })],
  ['another name', (answer) => changed(answer, { [FIRST_OF_NAME]: () => 'x'.charCodeAt(0) })],
  ['another type', (answer) => changed(answer, { [QUESTION_END - 4]: () => 0 })],
  ['another class', (answer) => changed(answer, { [QUESTION_END - 1]: () => 3 })],
  ['a query', (answer) => changed(answer, { [FLAGS]: (byte) => byte & 0x7f })],
  ['half a header', (answer) => answer.subarray(0, 11)],
])('a message with %s is ignored, and the answer after it counts', async (_what, forge) => {
  const rewrite: Rewrite = (_query, answer) => [forge(withRcode(5)(answer)), answer];
  expect(await answerThrough(rewrite)).toEqual(RIGHT);
});

test('a message without a question counts only if it reports a failure', async () => {
  const withoutQuestion = (answer: Buffer) => changed(answer, { 5: () => 0, [ANSWERS]: () => 0 });
  expect(await answerThrough((_query, answer) => [withoutQuestion(answer), answer])).toEqual(RIGHT);
  expect(await reasonThrough((_query, answer) => [withRcode(5)(withoutQuestion(answer)), answer])).toBe(
    'REFUSED',
  );
});

test('a message from another port is ignored', async () => {
  const other = createSocket('udp4');
  const rewrite: Rewrite = (_query, answer, { port }) => {
    other.send(withRcode(5)(changed(answer, { [ANSWERS]: () => 0 })), port, '127.0.0.1');
    return [answer];
  };
  try {
    expect(await answerThrough(rewrite)).toEqual(RIGHT);
  } finally {
    other.close();
  }
});

test('each query has an id and a port of its own', async () => {
  const seen: [number, AskedOver['port']][] = [];
  for (let i = 0; i < 8; i += 1)
    await answerThrough((query, answer, { port }) => {
      seen.push([query.readUInt16BE(0), port]);
      return [answer];
    });
  expect(new Set(seen.map(([id]) => id)).size).toBeGreaterThan(4);
  expect(new Set(seen.map(([, port]) => port)).size).toBeGreaterThan(4);
});

test('case does not matter in the question that comes back', async () => {
  const upper = (byte: number) => String.fromCharCode(byte).toUpperCase().charCodeAt(0);
  const rewrite: Rewrite = (_query, answer) => [changed(answer, { [FIRST_OF_NAME]: upper })];
  expect(await answerThrough(rewrite)).toEqual(RIGHT);
});

describe('a server from before EDNS', () => {
  const hasEdns = (query: Buffer) => query[11] === 1;

  test.each([
    ['FORMERR', 1],
    ['NOTIMP', 4],
  ])('that answers %s is asked once more without it', async (_name, rcode) => {
    const withoutQuestion = (query: Buffer) =>
      Buffer.concat([query.subarray(0, 2), Buffer.from([0x80, rcode]), Buffer.alloc(8)]);
    const rewrite: Rewrite = (query, answer) => [hasEdns(query) ? withoutQuestion(query) : answer];
    expect(await answerThrough(rewrite)).toEqual(RIGHT);
  });

  test('or behind a firewall that drops it, answers in time', async () => {
    const rewrite: Rewrite = (query, answer) => (hasEdns(query) ? [] : [answer]);
    expect(await answerThrough(rewrite, { timeoutMs: 4000 })).toEqual(RIGHT);
  });
});

describe('a server that fails is named, and the next one is asked:', () => {
  const shorter = (answer: Buffer) => answer.subarray(0, answer.length - 30);
  // The first answer begins after the question: a pointer, 8 bytes, the length of the data, the data.
  const firstData = QUESTION_END + 12;
  test.each<[string, string, (answer: Buffer) => Buffer]>([
    ['SERVFAIL', 'SERVFAIL', withRcode(2)],
    ['REFUSED', 'REFUSED', withRcode(5)],
    ['NOTIMP', 'NOTIMP', withRcode(4)],
    ['a code that nobody knows', 'RCODE11', withRcode(11)],
    [
      'a referral',
      'LAME',
      (answer) => changed(answer, { [FLAGS]: (byte) => byte & ~AUTHORITATIVE, [ANSWERS]: () => 0 }),
    ],
    ['half a message', 'BADRESP', shorter],
    ['records that are not there', 'BADRESP', (answer) => changed(answer, { [ANSWERS]: () => 255 })],
    [
      'a name that points to itself',
      'BADRESP',
      (answer) => changed(answer, { [QUESTION_END + 1]: () => QUESTION_END }),
    ],
    ['a name that points ahead', 'BADRESP', (answer) => changed(answer, { [QUESTION_END + 1]: () => 250 })],
    ['a tag longer than its record', 'BADRESP', (answer) => changed(answer, { [firstData + 1]: () => 200 })],
    [
      'an answer cut off over TCP as well',
      'BADRESP',
      (answer) => changed(answer, { [FLAGS]: (byte) => byte | TRUNCATED }),
    ],
  ])('%s', async (_what, reason, spoil) => {
    const rewrite: Rewrite = (_query, answer, { transport }) =>
      transport === 'udp'
        ? [spoil(answer)]
        : [answer.subarray(0, 2), spoil(answer.subarray(2)).subarray(0, answer.length - 10)];
    expect(await reasonThrough(rewrite)).toBe(reason);
    expect(await answerThrough(rewrite, { others: [knot.address] })).toEqual(RIGHT);
  });

  test('silence over TCP', async () => {
    const rewrite: Rewrite = (_query, answer, { transport }) =>
      transport === 'udp' ? [changed(answer, { [FLAGS]: (byte) => byte | TRUNCATED })] : [];
    expect(await reasonThrough(rewrite)).toBe('BADRESP');
    expect(await answerThrough(rewrite, { others: [knot.address] })).toEqual(RIGHT);
  });
});

test('records of other names in an answer do not count', async () => {
  // The name of the first answer, a pointer to the question, becomes a pointer to the top-level domain.
  const rewrite: Rewrite = (_query, answer) => {
    const names = [...answer.keys()].filter(
      (at) => answer.readUInt16BE(Math.min(at, answer.length - 2)) === 0xc00c,
    );
    return [changed(answer, Object.fromEntries(names.map((at) => [at + 1, () => 12 + 4])))];
  };
  expect(await answerThrough(rewrite)).toEqual({ nameExists: true, records: [] });
  expect(await otherRecords()).toEqual([{ flags: 0, tag: 'issue', value: 'other.example' }]);
});
