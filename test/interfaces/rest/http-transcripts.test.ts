import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectCommonHeaders } from '../../support/expect-answer.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { AMPLE } from '../../support/rest-client.js';
import { renderTranscript, type Exchange } from '../../support/transcript.js';

const PAGE = join(__dirname, '../../../docs/http.md');
/** What stands above it is written by hand. */
const MARK =
  '<!-- Below this line the file is written by UPDATE_DOCS=1 npm test -- test/interfaces/rest/http-transcripts. -->\n';
const SHOWN_BASE = 'http://127.0.0.1:3000';
const JSON_TYPE = 'Content-Type: application/json';

interface Call {
  method?: string;
  path: string;
  headers?: readonly string[];
  body?: string;
  /** How the body is given to curl, when it is too long to be shown. */
  shownBody?: string;
}

const gateway = useGateway();

/** Sends what the curl command shown would send, and keeps the answer as it stood on the wire. */
async function call(
  url: string,
  secret: string | undefined,
  { method = 'GET', path, headers = [], body, shownBody }: Call,
): Promise<Exchange> {
  const auth = secret === undefined ? [] : [`Authorization: Bearer ${secret}`];
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = rawHead(
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1:3000',
    'Connection: close',
    ...auth,
    ...headers,
    ...length,
  );
  const answer = await sendRaw(url, head + (body ?? ''));
  expectCommonHeaders(answer);

  const implied = body === undefined ? 'GET' : 'POST';
  const curl = [
    `curl -i '${SHOWN_BASE}${path}'`,
    ...(method === implied ? [] : [`-X ${method}`]),
    ...(secret === undefined ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...headers.map((header) => `-H '${header}'`),
    ...(body === undefined ? [] : [shownBody === undefined ? `-d '${body}'` : `--data-binary ${shownBody}`]),
  ].join(' \\\n    ');
  return { curl, answer };
}

/** One part of the page: a heading that names the status, and the exchanges that show it. */
async function parts(): Promise<[heading: string, status: number, exchanges: Exchange[]][]> {
  const { secret } = await gateway.keyOn('business');
  const withKey = (request: Call) => call(gateway.url, secret, request);
  const create = (body: string) => withKey({ path: '/v1/pets', method: 'POST', headers: [JSON_TYPE], body });

  const created = await create('{"name":"Rex","categoryId":9007199254740993}');
  await create('{"name":"Mia","categoryId":2,"status":"sold"}');
  const listed = await withKey({ path: '/v1/pets?limit=1' });
  const etag = listed.answer.headers.get('etag') ?? '';

  const small = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 1000 });
  await gateway.request('/v1/pets', { key: small.secret });

  const sunset = Date.parse('2030-12-05T00:00:00Z');
  const later = await startGateway({ clock: () => sunset });
  try {
    const laterKey = await later.keyOn('enterprise', AMPLE);
    return [
      ['A page of pets', 200, [listed]],
      ['A new pet', 201, [created]],
      ['Unchanged', 304, [await withKey({ path: '/v1/pets?limit=1', headers: [`If-None-Match: ${etag}`] })]],
      [
        'Invalid request',
        400,
        [
          await withKey({ path: '/v1/pets?limit=0&status=lost' }),
          await create('{"name":" ","categoryId":"7","colour":"red"}'),
        ],
      ],
      [
        'Missing or invalid key',
        401,
        [
          await call(gateway.url, undefined, { path: '/v1/pets' }),
          await call(gateway.url, undefined, {
            path: '/v1/pets',
            headers: ['Authorization: Bearer nonsense'],
          }),
        ],
      ],
      ['No such pet', 404, [await withKey({ path: '/v1/pets/9223372036854775807' })]],
      ['No such method', 405, [await withKey({ path: '/v1/pets', method: 'DELETE' })]],
      ['A removed operation', 410, [await call(later.url, laterKey.secret, { path: '/v1/pets/1' })]],
      [
        'Too large',
        413,
        [
          await withKey({
            path: '/v1/pets',
            method: 'POST',
            headers: [JSON_TYPE],
            body: ' '.repeat(65_537),
            shownBody: '@larger-than-64-KiB.json',
          }),
        ],
      ],
      [
        'Not JSON',
        415,
        [
          await withKey({
            path: '/v1/pets',
            method: 'POST',
            headers: ['Content-Type: text/plain'],
            body: 'Rex',
          }),
        ],
      ],
      ['Over the limit', 429, [await call(gateway.url, small.secret, { path: '/v1/pets' })]],
    ];
  } finally {
    await later.close();
  }
}

it('docs/http.md shows every status as the gateway answers it', async () => {
  const shown = await parts();
  for (const [heading, status, exchanges] of shown)
    for (const { answer } of exchanges) expect([heading, answer.status]).toEqual([heading, status]);

  const recorded = shown
    .map(
      ([heading, status, exchanges]) =>
        `### ${status}: ${heading}\n\n\`\`\`\n${renderTranscript(exchanges)}\n\`\`\`\n`,
    )
    .join('\n');
  const page = await readFile(PAGE, 'utf8');
  const byHand = page.slice(0, page.indexOf(MARK) + MARK.length);
  const wanted = `${byHand}\n${recorded}`;
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});
