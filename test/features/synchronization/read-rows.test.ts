import { readRows, type RowBatch } from '../../../src/features/synchronization/read-rows.js';
import { FileRefused } from '../../../src/features/synchronization/pets-import.js';

interface Options {
  format?: 'csv' | 'ndjson';
  ignoreUnknown?: boolean;
  /** Bytes of a chunk. */
  size?: number;
}

async function read(
  content: string | Buffer,
  { format = 'csv', ignoreUnknown = false, size = 7 }: Options = {},
): Promise<RowBatch> {
  const bytes = Buffer.from(content as string);
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += size) yield await Promise.resolve(bytes.subarray(i, i + size));
  }
  const all: RowBatch = { rows: [], rejections: [] };
  for await (const { rows, rejections } of readRows({ chunks: chunks(), format, ignoreUnknown })) {
    all.rows.push(...rows);
    all.rejections.push(...rejections);
  }
  return all;
}

const A_CATEGORY =
  'must be a whole number in plain digits without a leading zero, such as 2 (from -9223372036854775808 to 9223372036854775807)';
const REX = { line: 2, externalId: 'A-1', name: 'Rex', categoryId: 1n, status: 'sold' };

describe('CSV', () => {
  test.each([
    ['LF', 'externalId,name,categoryId,status\nA-1,Rex,1,sold\n'],
    ['CRLF', 'externalId,name,categoryId,status\r\nA-1,Rex,1,sold\r\n'],
    ['no line break at the end', 'externalId,name,categoryId,status\nA-1,Rex,1,sold'],
    ['a byte order mark', '\uFEFFexternalId,name,categoryId,status\nA-1,Rex,1,sold\n'],
    ['semicolons', 'externalId;name;categoryId;status\nA-1;Rex;1;sold\n'],
    ['tabs', 'externalId\tname\tcategoryId\tstatus\nA-1\tRex\t1\tsold\n'],
    ['quoted fields', '"externalId","name","categoryId","status"\n"A-1","Rex","1","sold"\n'],
    ['another order and case', 'STATUS,Name,categoryid,ExternalId\nsold,Rex,1,A-1\n'],
    ['the id of an export', 'externalId,name,categoryId,status,id\nA-1,Rex,1,sold,17\n'],
    ['spaces around numbers', 'externalId, name, categoryId, status\n A-1 ,Rex, 1 , sold\n'],
  ])('%s', async (_name, content) => {
    expect(await read(content)).toEqual({ rows: [REX], rejections: [] });
    expect(await read(content, { size: 1 })).toEqual({ rows: [REX], rejections: [] });
  });

  test('quotes, commas and line breaks in a name, and the line where an animal begins', async () => {
    const { rows, rejections } = await read(
      'externalId,name,categoryId\r\n1,"Rex ""the"" dog, Jr.",1\r\n\r\n2,"two\r\nlines",2\r\n,,\r\n3,Tom,x\r\n4,Al,1\r\n',
    );
    expect(rows).toEqual([
      { line: 2, externalId: '1', name: 'Rex "the" dog, Jr.', categoryId: 1n, status: undefined },
      { line: 4, externalId: '2', name: 'two\r\nlines', categoryId: 2n, status: undefined },
      { line: 8, externalId: '4', name: 'Al', categoryId: 1n, status: undefined },
    ]);
    expect(rejections).toEqual([{ line: 7, reason: `categoryId: ${A_CATEGORY}; received the text "x"` }]);
  });

  test('integers are exact beyond 2^53, and an external id has up to 64 characters', async () => {
    const longest = '🐕'.repeat(64);
    const { rows, rejections } = await read(
      `externalId,name,categoryId\n${longest},Rex,9223372036854775807\n${longest}x,Tom,9223372036854775808\n`,
    );
    expect(rows).toEqual([
      { line: 2, externalId: longest, name: 'Rex', categoryId: 9223372036854775807n, status: undefined },
    ]);
    expect(rejections).toEqual([
      {
        line: 3,
        reason: `externalId: must have at most 64 characters; categoryId: ${A_CATEGORY}; received the text "9223372036854775808"`,
      },
    ]);
  });

  test('a line with too few fields is rejected alone', async () => {
    const { rows, rejections } = await read('externalId,name,categoryId\n2,Tom\n3,Al,1\n');
    expect(rows).toHaveLength(1);
    expect(rejections).toEqual([{ line: 2, reason: 'has 2 fields; the header has 3 columns' }]);
  });

  test.each([
    ['an empty file', '', /no header line/],
    [
      'no header',
      '1,Rex,1\n2,Tom,1\n',
      /first line must name the columns, and has no externalId, name, categoryId/,
    ],
    ['a missing column', 'externalId,name\n1,Rex\n', /has no categoryId/],
    ['a column twice', 'externalId,name,Name,categoryId\n', /name is there twice/],
    ['unknown columns', 'externalId,name,categoryId,breed,age\n', /unknown columns: "breed", "age"/],
    [
      'a quote in a field without quotes',
      'externalId,name,categoryId\n1,"a\r\nb",1\n2,Rex "the" dog,1\n3,Al,1\n',
      /^Line 4 is not valid CSV/,
    ],
    [
      'text after a quoted field',
      'externalId,name,categoryId\n1,"a"b,1\n3,Al,1\n',
      /^Line 2 is not valid CSV/,
    ],
    [
      'a quote that is not closed',
      'externalId,name,categoryId\n1,Rex,1\n2,"Tom,1\n3,Al,1\n',
      /^Line 3 has a quote that is not closed/,
    ],
    [
      'a line that is too long',
      `externalId,name,categoryId\n1,"${'x'.repeat(70_000)}",1\n2,Tom,1\n`,
      /^Line 2 is longer than 65536 bytes/,
    ],
    [
      'another encoding',
      Buffer.from('externalId,name,categoryId\n1,Z\xfcri,1\n', 'latin1'),
      /not valid UTF-8/,
    ],
  ])('refuses %s', async (_name, content, reason) => {
    const refused = await read(content).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FileRefused);
    expect((refused as FileRefused).reason).toMatch(reason);
  });

  test('unknown columns are ignored on request', async () => {
    const content = 'breed,externalId,name,categoryId,status\nPoodle,A-1,Rex,1,sold\n';
    expect((await read(content, { ignoreUnknown: true })).rows).toEqual([REX]);
  });
});

describe('NDJSON', () => {
  const ndjson = { format: 'ndjson' } as const;

  test('lines, blank lines, CRLF, exact integers and numbers as external ids', async () => {
    const { rows, rejections } = await read(
      '{"externalId":"A-1","name":"Rex","categoryId":1,"status":"sold"}\r\n\n' +
        '{"externalId":9007199254740993,"name":"Tom","categoryId":-9223372036854775808,"id":4}\n' +
        '{"externalId":"x"\n[]\n{"externalId":"y","name":"Al","categoryId":1,"breed":"Poodle"}\n',
      ndjson,
    );
    expect(rows).toEqual([
      { ...REX, line: 1 },
      { line: 3, externalId: '9007199254740993', name: 'Tom', categoryId: -(2n ** 63n), status: undefined },
    ]);
    expect(rejections.map(({ line }) => line)).toEqual([4, 5, 6]);
    expect(rejections[2]?.reason).toMatch(/^breed: is not a field/);
  });

  test('a category that is no whole number is rejected in plain words', async () => {
    const { rejections } = await read(
      '{"externalId":"1","name":"Rex","categoryId":1.5}\n{"externalId":"2","name":"Tom","categoryId":"2"}\n' +
        '{"externalId":"3","name":"Al"}\n',
      ndjson,
    );
    expect(rejections).toEqual([
      { line: 1, reason: `categoryId: ${A_CATEGORY}; received the number 1.5` },
      { line: 2, reason: `categoryId: ${A_CATEGORY}; received the text "2"` },
      { line: 3, reason: 'categoryId: is required' },
    ]);
  });

  test('a line has a limit, and the lines after it are read', async () => {
    const { rows, rejections } = await read(
      `{"externalId":"1","name":"${'x'.repeat(200_000)}","categoryId":1}\n{"externalId":"2","name":"Tom","categoryId":1}`,
      { ...ndjson, size: 10_000 },
    );
    expect(rows).toEqual([{ line: 2, externalId: '2', name: 'Tom', categoryId: 1n, status: undefined }]);
    expect(rejections).toEqual([{ line: 1, reason: 'is longer than 65536 bytes' }]);
  });
});
