import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  authorizationAnswer,
  directoryAnswer,
  orderAnswer,
  problemAnswer,
  renewalAnswer,
} from '../../src/features/publishing/certificates/acme-answers.js';
import { retryAfterMs } from '../../src/features/publishing/certificates/acme-answers.js';
import { SiteRefused } from '../../src/features/publishing/deploys/collect-site.js';
import { readArchive, receiveArchive } from '../../src/features/publishing/deploys/read-archive.js';
import { readPath } from '../../src/features/publishing/deploys/site-path.js';
import {
  encodeQuery,
  MalformedResponse,
  readResponse,
  TYPE,
} from '../../src/features/publishing/domains/dns/message.js';
import { parseDomainName } from '../../src/features/publishing/domains/domain-name.js';
import { readSessionCookie } from '../../src/http/steps/session-cookie.js';
import { authorityOf, originFormOf } from '../../src/http/server/request-target.js';
import { parseLine } from '../../src/features/pets/import/parse-line.js';
import { decodeCursor, encodeCursor } from '../../src/lib/cursor.js';
import { ApiError } from '../../src/lib/errors.js';
import { hostOfHeader, isHostName } from '../../src/lib/host-name.js';
import { isInt64, parseCanonicalInt64, parseJsonInt64 } from '../../src/lib/int64.js';
import { JsonSyntaxError, parseJson } from '../../src/lib/parse-json.js';
import { cursorOf, idOfCursor } from '../../src/features/pets/cursor.js';
import { archiveOf, LETTERS } from './bounds/archive-text.js';
import { slowness } from './bounds/reference-core.js';

/**
 * Everything that is parsed by hand, with texts that began as good ones and were damaged. FUZZ_RUNS and FUZZ_SEED search
 * on; what was found is in the `examples`.
 */
const options = {
  numRuns: Number(process.env['FUZZ_RUNS'] ?? '2000'),
  ...(process.env['FUZZ_SEED'] !== undefined && { seed: Number(process.env['FUZZ_SEED']) }),
};
/**
 * The longest text that reaches any of them takes this much processor time at most, on the reference core: 64,000 spaces
 * take jsonc-parser 9 ms while V8 interprets it. Anything quadratic takes seconds.
 */
const MOST_MS = 10;
const MARGIN = 5;
const LONGEST = 64_000;

/** Pieces of good texts and odd characters, in any order and any number. */
const madeOf = (...pieces: string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 3 })), {
      maxLength: 24,
    })
    .map((all) => all.join(''));

function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error;
  }
}

const cookieOf = (cookie: string) =>
  readSessionCookie({ headers: { cookie } } as never, { origin: 'https://x', isSecure: true });

interface Parser {
  parse: (text: string) => unknown;
  /** What it may throw, if anything. */
  throws?: new (...args: never[]) => Error;
  pieces: string[];
}

const QUESTION = { id: 1, name: 'a.example', type: TYPE.CAA };
/** The header of a response that announces 255 records, and its question. */
const RESPONSE = encodeQuery(QUESTION, false) ?? Buffer.alloc(0);
RESPONSE[2] = 0x84;
RESPONSE[7] = 255;

const PARSERS: Record<string, Parser> = {
  'a request target': {
    parse: (target) => [originFormOf(target), authorityOf(target)],
    pieces: ['http://', 'x:y@', '/', '?', '#', '*', ':', '%', 'a', '+.-', '\u0000'],
  },
  'a host': {
    parse: (host) => [hostOfHeader(host), isHostName(host)],
    pieces: ['a', '.', '-', ':', '80', '[', ']', '::1', '_', '@', ','],
  },
  'a domain': {
    parse: (text) => parseDomainName(text, { platformHost: 'pets.example' }),
    throws: ApiError,
    pieces: ['a', '.', '-', 'xn--', 'ü', '。', 'co.uk', 'pets.example', '1', '127.0.0.1', 'https://', '*.'],
  },
  'a cookie': {
    parse: cookieOf,
    throws: ApiError,
    pieces: ['__Host-pets-session', 'pets-session', '=', ';', ' ', '"', 'a', ','],
  },
  'a cursor of a list': {
    parse: decodeCursor,
    throws: ApiError,
    pieces: [encodeCursor(['a', 1]), 'WyJhIl0', '=', '-', '_', 'W10', 'bnVsbA'],
  },
  'a cursor of pets': {
    parse: idOfCursor,
    pieces: [cursorOf(5n), cursorOf(2n ** 63n - 1n), '=', 'cGV0', '-', '_'],
  },
  JSON: {
    parse: parseJson,
    throws: JsonSyntaxError,
    pieces: [
      '{',
      '}',
      '[',
      ']',
      '"a"',
      ':',
      ',',
      '1',
      '-',
      'e9',
      '.0',
      '"__proto__"',
      '\\u0041',
      '"',
      'null',
      '/*',
    ],
  },
  'an int64': {
    parse: (text) => [parseCanonicalInt64(text), parseJsonInt64(text)],
    pieces: ['0', '9', '-', '+', '.', 'e', '922337203685477580'],
  },
  'a line of an import': {
    parse: parseLine,
    pieces: [
      '{',
      '}',
      '"name":',
      '"Rex"',
      ',',
      '"categoryId":',
      '1',
      '"id":',
      '"status":',
      '"sold"',
      '\\',
      ' ',
    ],
  },
  'a path in an archive': {
    parse: readPath,
    pieces: ['a', '/', './', '..', '.', '\\', 'C:', '.well-known', 'é', '\ufffd'],
  },
  'the records of a DNS response': {
    parse: (text) => readResponse(Buffer.concat([RESPONSE, Buffer.from(text, 'latin1')]), QUESTION),
    throws: MalformedResponse,
    pieces: [
      ...['\u00c0\u000c', '\u0001\u0001\u0000\u0001', '\u0000\u0005\u0000\u0001', '\u0000\u0000\u0000\u003c'],
      ...['\u0000\u0007', '\u0000\u0005issue', '\u003fa', '\u0000', '\u00c0\u0020', '\u00ff'],
    ],
  },
  'Retry-After': {
    parse: (text) => retryAfterMs(text, 0),
    pieces: ['1', '-', ' GMT', 'Sun, 06 Nov 1994 08:49:37', ':', 'e', '.'],
  },
};

describe.each(Object.entries(PARSERS))('%s', (_, { parse, throws, pieces }) => {
  test('damaged: is read, or refused with the one error that is declared', () => {
    fc.assert(
      fc.property(madeOf(...pieces), (text) => {
        const outcome = outcomeOf(() => parse(text));
        const isDeclared = throws !== undefined && outcome instanceof throws;
        expect(outcome instanceof Error && !isDeclared && outcome).toBe(false);
      }),
      options,
    );
  });

  test('as long as it can be: is read in bounded time', () => {
    const allowedMs = MOST_MS * MARGIN;
    const above = pieces
      .flatMap((first) => pieces.map((second) => first + second))
      .map((word) => ({ word, ms: leastMs(() => parse(word.repeat(LONGEST / word.length)), allowedMs) }))
      .filter(({ ms }) => ms > allowedMs);
    expect(above).toEqual([]);
  });
});

describe('parses what it renders', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  test('int64', () => {
    fc.assert(
      fc.property(int64, (value) => {
        expect(parseCanonicalInt64(String(value))).toBe(value);
        expect(parseJsonInt64(String(value))).toBe(value);
        expect(idOfCursor(cursorOf(value))).toBe(value > 0n ? value : undefined);
        expect(isInt64(value)).toBe(true);
      }),
      options,
    );
  });

  test('cursors of lists', () => {
    const place = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 });
    fc.assert(
      fc.property(place, (value) => expect(decodeCursor(encodeCursor(value))).toEqual(value)),
      options,
    );
  });

  test('JSON, as JSON.parse reads it', () => {
    const plain = [fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)];
    fc.assert(
      fc.property(fc.object({ values: plain }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
      options,
    );
  });

  test('a target in absolute form and its path', () => {
    const segment = fc.string({
      unit: fc.constantFrom('a', '1', '%41', '.', '-', '?', '&', '='),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.domain(), segment, (host, rest) => {
        expect(authorityOf(`http://${host}/${rest}`)).toBe(host);
        expect(originFormOf(`http://${host}/${rest}`)).toBe(`/${rest}`);
        expect(originFormOf(originFormOf(`/${rest}`))).toBe(originFormOf(`/${rest}`));
      }),
      options,
    );
  });
});

describe('archives', () => {
  async function expectReadOrRefused(archive: Buffer): Promise<void> {
    const outcome: unknown = await receiveArchive(chunksOf(archive))
      .then(readArchive)
      .catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(SiteRefused);
  }
  const letters = fc.array(fc.constantFrom(...LETTERS), { maxLength: 30 }).map((all) => all.join(''));
  const archiveRuns = { ...options, numRuns: Math.ceil(options.numRuns / 8) };

  test('of any entries', () =>
    fc.assert(
      fc.asyncProperty(letters, (text) => expectReadOrRefused(archiveOf(text))),
      archiveRuns,
    ));

  test('whose bytes are damaged', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    const isInside = fc.boolean();
    return fc.assert(
      fc.asyncProperty(letters, damage, isInside, (text, changes, inside) => {
        const archive = archiveOf(text);
        const bytes = inside ? gunzipSync(archive) : archive;
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        return expectReadOrRefused(inside ? gzipSync(bytes) : bytes);
      }),
      archiveRuns,
    );
  });
});

test('answers of an ACME server: anything is read, or said not to be one', () => {
  const answers = [problemAnswer, directoryAnswer, orderAnswer, authorizationAnswer, renewalAnswer];
  const members = [
    'type',
    'detail',
    'status',
    'url',
    'challenges',
    'authorizations',
    'suggestedWindow',
    'start',
    'end',
  ];
  const any = fc.anything({ key: fc.oneof(fc.constantFrom(...members), fc.string()), maxDepth: 3 });
  fc.assert(
    fc.property(any, (value) => {
      for (const answer of answers) expect(typeof answer.safeParse(value).success).toBe('boolean');
    }),
    options,
  );
});

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

/**
 * Processor time of the quickest of a few tries, as on the reference core; the first that is within what is allowed is
 * quick enough. A machine is shared and may be slow for seconds, so each slow try is compared with the core of its moment.
 */
function leastMs(work: () => unknown, allowedMs: number): number {
  let least = Infinity;
  for (let i = 0; i < 8 && least > allowedMs; i++) {
    const before = process.cpuUsage();
    outcomeOf(work);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    least = Math.min(least, ms > allowedMs ? ms / slowness() : ms);
  }
  return least;
}
