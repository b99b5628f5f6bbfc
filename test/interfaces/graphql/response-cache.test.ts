import { getOperationAST, parse } from 'graphql';
import type { Answer } from '../../../src/interfaces/graphql/answer.js';
import type { Prepared } from '../../../src/interfaces/graphql/prepare.js';
import { createResponseCache, keyOf } from '../../../src/interfaces/graphql/response-cache.js';
import { noStatistics } from '../../../src/lib/cache-statistics.js';
import { parseJson } from '../../../src/lib/parse-json.js';
import { withResolvers } from '../../support/with-resolvers.js';

describe('the response cache', () => {
  let nowMs: number;
  let cache: ReturnType<typeof createResponseCache>;
  let statistics: ReturnType<typeof noStatistics>;
  beforeEach(() => {
    nowMs = 1_000_000;
    statistics = noStatistics();
    cache = createResponseCache(() => nowMs, statistics);
  });

  const answerOf = (pet: string) => ({ data: { pet } }) as unknown as Answer;
  const keep = (key: string, answer: Answer) => cache.keep(key, () => Promise.resolve(answer));
  /** An operation that runs until the test ends it. */
  function held(key: string) {
    const { promise, resolve: end, reject: fail } = withResolvers<Answer>();
    const answer = cache.keep(key, () => promise);
    return { answer, end, fail };
  }

  test('returns a response for 10 s after its operation began, and not if the clock is set back', async () => {
    expect(cache.find('a')).toBeUndefined();
    const { answer, end } = held('a');
    nowMs += 4_000;
    end(answerOf('Rex'));
    expect(await answer).toEqual(answerOf('Rex'));
    const kept = { data: '{"pet":"Rex"}', readAtMs: 1_000_000 };
    expect(cache.find('a')).toEqual(kept);
    nowMs = 1_009_999;
    expect(cache.find('a')).toEqual(kept);
    nowMs = 1_010_000;
    expect(cache.find('a')).toBeUndefined();
    nowMs = 1_000_000;
    expect(cache.find('a')).toEqual(kept);
    nowMs = 999_999;
    for (const key of ['a', 'b']) expect(cache.find(key)).toBeUndefined();
    expect(statistics).toEqual({ hits: 3, misses: 4 });
  });

  test('shares an operation that runs, with equal requests only', async () => {
    const { answer, end } = held('a');
    const found = cache.find('a');
    expect(found).toBeInstanceOf(Promise);
    expect(cache.find('b')).toBeUndefined();
    end(answerOf('Rex'));
    await answer;
    expect(await found).toEqual({ data: '{"pet":"Rex"}', readAtMs: nowMs });
    expect(statistics).toEqual({ hits: 1, misses: 1 });
  });

  test.each([
    ['errors', { ...answerOf('Rex'), errors: [] }],
    ['null as data', { data: null } as unknown as Answer],
    ['no data', {} as unknown as Answer],
  ])('does not share a response with %s', async (_what, given) => {
    const { answer, end } = held('a');
    const found = cache.find('a');
    end(given);
    expect(await answer).toBe(given);
    expect(await found).toBeUndefined();
    expect(cache.find('a')).toBeUndefined();
  });

  test('fails with the operation for its own client, and returns nothing to those who share it', async () => {
    const { answer, fail } = held('a');
    const found = cache.find('a');
    fail(new Error('quota'));
    await expect(answer).rejects.toThrow('quota');
    expect(await found).toBeUndefined();
    expect(cache.find('a')).toBeUndefined();
  });

  test('keeps sharing an operation when an earlier one with the same key fails', async () => {
    const first = held('a');
    const second = held('a');
    first.fail(new Error('quota'));
    await expect(first.answer).rejects.toThrow('quota');
    const found = cache.find('a');
    second.end(answerOf('Luna'));
    expect(await found).toMatchObject({ data: '{"pet":"Luna"}' });
  });

  test('holds 16 MiB at most, at two bytes a character and 200 bytes a response', async () => {
    const fits = 8 * 1024 * 1024 - 100 - '{"pet":""}'.length;
    await keep('whole', answerOf('x'.repeat(fits)));
    expect(cache.find('whole')).toBeDefined();
    await keep('larger', answerOf('x'.repeat(fits + 1)));
    expect(cache.find('larger')).toBeUndefined();
    await keep('half', answerOf('x'.repeat(fits / 2)));
    await keep('other half', answerOf('x'.repeat(fits / 2 - 110)));
    expect([cache.find('whole'), cache.find('half') && cache.find('other half')]).toEqual([
      undefined,
      expect.anything(),
    ]);
  });
});

describe('the key of a request', () => {
  function key(query: string, variables = '{}', operationName?: string, audience = ''): string | undefined {
    const operation = getOperationAST(parse(query), operationName) ?? undefined;
    const request = { query, variables: parseJson(variables), operationName };
    return keyOf({ request, operation } as unknown as Prepared, audience);
  }
  const PETS = 'query ($ids: [Int64!] = [], $status: PetStatus) { pets(status: $status) { name } }';

  test('differs for callers that see different pets', () => {
    const keys = ['', 'proj_a', 'proj_b'].map((audience) => key(PETS, '{}', undefined, audience));
    expect(new Set(keys).size).toBe(3);
  });

  test('is the same for the same tokens and values', () => {
    expect(key('{ pets(limit: 2) { name id } }')).toBe(key('# the same\n{pets (limit:2) {name, id}}'));
    expect(key(PETS, '{"ids":[1],"status":"sold"}')).toBe(key(PETS, '{"status":"sold","ids":[1]}'));
    expect(key(PETS)).toMatch(/^[\w-]{43}$/);
  });

  test('does not depend on variables that the operation does not have', () => {
    expect(key(PETS, '{"x":1}')).toBe(key(PETS, '{"x":2}'));
    expect(key('{ pets { name } }', '{"x":1}')).toBe(key('{ pets { name } }'));
  });

  test.each([
    ['{}', '{"status":null}'],
    ['{"status":"sold"}', '{"status":"pending"}'],
    ['{"ids":[1]}', '{"ids":["1"]}'],
    ['{"ids":[9007199254740993]}', '{"ids":["9007199254740993"]}'],
    ['{"ids":[9007199254740993]}', '{"ids":["n9007199254740993"]}'],
    ['{"ids":[9007199254740993]}', '{"ids":[9007199254740992]}'],
    ['{"ids":[true]}', '{"ids":["true"]}'],
    ['{"ids":[1]}', '{"ids":1}'],
    ['{"ids":1}', '{"status":1}'],
  ])('differs for %s and %s', (one, other) => {
    expect(key(PETS, one)).not.toBe(key(PETS, other));
  });

  test('differs for another operation of the document, or another document', () => {
    const query = 'query A { pets { name } } query B { pets { id } }';
    expect(key(query, '{}', 'A')).not.toBe(key(query, '{}', 'B'));
    expect(key('{ pets { name } }')).not.toBe(key('{ pets { id } }'));
  });

  test('does not exist without an operation', () => {
    expect(key('query A { pets { name } } query B { pets { id } }')).toBeUndefined();
  });
});
