import { archiveOf, LETTERS } from './archive-text.js';
import { times, type Part } from './document.js';
import { MS_PER_UPLOAD, type Kind } from './search.js';
import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { HOST, ORIGIN, requestOf, SHARE, type Target } from './target.js';

/** What a head and a body may have at most; a little less, for what stands around. */
const HEAD = 15_000;
const BODY = 64_000;
const ARCHIVE_ENTRIES = 32_000;
const AMPLE = { requestsPerMinute: 10_000_000, requestsPerDay: 100_000_000 };
/** So few that ten documents ask for more than the window could ever hold. */
const SMALL = { requestsPerMinute: 150, requestsPerDay: 150 };
const MAX_BATCH = 10;

const words = (...texts: string[]): Part[] => texts.map((text) => times(1, text));

const PATH = [
  ...words(
    '/',
    '.',
    './',
    '%2e%2e/',
    '%',
    '%41',
    'a',
    'a/',
    '//',
    '\\',
    '-',
    ';',
    ':',
    '@',
    '~',
    '+',
    '1',
    '0',
  ),
  ...words('?', '&', '=', '#', '/index.html', '.js', '§/'),
];
const QUERY = [
  ...words(
    'limit=100&',
    'limit=1',
    '&',
    '=',
    '%',
    '%41',
    '+',
    '1',
    'status=available&',
    'mine=true&',
    'categoryId=1&',
    'after=',
    'cGV0',
    'a§=1&',
  ),
  ...words('status[$ne]=x&', '%ff'),
];
const HEADERS = [
  ...words('\r\nAccept: ', 'a/b;q=0.1,', '*/*,', ';p="', ',', ' ', '\t', '"', '\\"', ';', '=', 'x'),
  ...words(
    '\r\nAccept-Encoding: ',
    'gzip;q=0.§,',
    '\r\nIf-None-Match: ',
    '\r\nIf-Match: ',
    '"x",',
    'W/"',
    '\r\nRange: bytes=',
    '0-,',
  ),
  ...words(
    '\r\nOrigin: http://',
    'a.',
    '\r\nX-Request-Id: ',
    '\r\nX-Forwarded-For: ',
    '1.2.3.4, ',
    ':',
    '\r\nCookie: ',
  ),
  ...words(
    'a=b; ',
    '__Host-pets_session=',
    '\r\nX-§: y',
    '\r\nConnection: ',
    '\r\nContent-Type: application/json',
  ),
  ...words(
    '\r\ntraceparent: ',
    '\r\nIdempotency-Key: ',
    '\r\nContent-Encoding: ',
    'gzip, ',
    '\r\nAuthorization: Bearer ',
  ),
];
const JSON_WORDS = [
  times(1, '[', ']'),
  times(1, '{"a":', '}'),
  times(1, '{"name":"', '","categoryId":1}'),
  times(1, '{"name":"x","categoryId":', '}'),
  ...words(
    '"a§":1,',
    '"name":"x",',
    ' ',
    '\\u0041',
    '\\',
    '"',
    '1',
    '0',
    '1e',
    '-',
    '.',
    ',',
    '{',
    '[',
    '😀',
    'é',
  ),
];
const GRAPHQL = [
  ...words(
    'pets{id} ',
    'a§:pets{id} ',
    'pets(limit:100){id name categoryId status cursor} ',
    'pets(limit:§){id} ',
  ),
  ...words(
    'petsConnection(first:100){edges{node{id name} cursor}} ',
    'd§:petsConnection(first:100 orderBy:newest filter:{nameContains:"e"}){totalCount edges{node{id project{name}}}} ',
    'e§:petsConnection(last:100 filter:{nameContains:"x" categoryId:1}){totalCount pageInfo{startCursor}} ',
    'f§:petsConnection(filter:{nameContains:"§"}){totalCount} ',
    'g§:petsConnection(filter:{externalId:"§"}){totalCount edges{node{externalId}}} ',
    'İ',
    'b§:edges{node{id name}} ',
    '__typename ',
  ),
  ...words(
    'a§:__typename ',
    'quota{windows{used}} ',
    'plans{id name} ',
    'petsByIds(ids:[1 2 3]){id} ',
    'id ',
    'x ',
  ),
  ...words(
    '...F ',
    '@skip(if:false) ',
    '@a ',
    '$v§:Int ',
    '# ',
    '"',
    '"""',
    '(',
    ')',
    '{',
    '}',
    '!',
    '1',
    '§',
  ),
  ...words(
    '__schema{types{name fields{name type{name}}}} ',
    'types{name fields{name}} ',
    'fields{name type{name}} ',
  ),
  ...words('a§:nodes{id} ', 'petsConnection(first:100){pageInfo{endCursor}} '),
  times(1, 'pets{', '}'),
  times(1, '...on Query{', '}'),
  times(1, '...{', '}'),
  times(1, 'petsConnection(first:100){', '} '),
  times(1, 'edges{', '} '),
  times(1, 'node{', '} '),
  times(1, '__schema{', '} '),
  times(1, 'types{', '} '),
  times(1, 'ofType{', '} '),
  times(1, 'petsConnection(first:100){', '} ', times(1, 'b§:edges{node{id name}} ')),
  times(1, 'pets(limit:100){', '} ', times(1, 'c§:name ')),
  times(1, '__schema{types{', '}} ', times(1, 'd§:fields{name} ')),
  times(1, 'pets(status:[', ']){id}'),
  times(1, 'petsConnection(filter:{nameContains:"', '"}){totalCount} '),
  times(1, 'petsConnection(filter:{externalId:"', '"}){totalCount} '),
  times(1, '}fragment F§ on Query{', ''),
];
const RAW = [
  ...words(
    'GET / HTTP/1.1\r\n',
    'Host: x\r\n',
    '\r\n',
    '\n',
    '\0',
    ' ',
    'A',
    ':',
    'GET ',
    'HTTP/1.1',
    'X-§: y\r\n',
  ),
  ...words(
    'Transfer-Encoding: chunked\r\n',
    'Content-Length: 1\r\n',
    'CONNECT x:1 HTTP/1.1\r\n',
    '\x16\x03\x01',
    'é',
  ),
  ...words(
    ' folded\r\n',
    'OPTIONS * HTTP/1.1\r\n',
    'GET http://x:y@z/ HTTP/1.1\r\n',
    '1\r\nx\r\n',
    'Expect: x\r\n',
  ),
];

const query = (parts: Part[]): Part[] => [
  times(1, 'query q{', '}', ...parts),
  times(1, 'fragment F on Query{pets{id}}'),
];
const mutation = (parts: Part[]): Part[] => [times(1, 'mutation q{', '}', ...parts)];
const json = ['Content-Type: application/json'];
const post = (line: string, headers: string[], body: string | Buffer, host?: string) =>
  requestOf(`POST ${line}`, { headers: [...json, ...headers], body, ...(host !== undefined && { host }) });
let documents = 0;
/** Each has a name of its own, so that no cache knows it. */
const document = (text: string) =>
  JSON.stringify({ query: text.replace(/^(query|mutation) q/, `$1 q${++documents}`) });
const batch = (text: string) => `[${Array.from({ length: MAX_BATCH }, () => document(text)).join(',')}]`;
const bearer = (secret: string) => `Authorization: Bearer ${secret}`;

/** Every kind of request that the gateway answers. */
export async function kindsOf(target: Target): Promise<Kind[]> {
  const { office, store, newClient, sender, sendRaw } = target;
  const { services } = office;
  /** A kind whose requests have the text in their head, and are charged to nobody. */
  const uncharged = (
    name: string,
    dictionary: readonly Part[],
    make: Parameters<typeof sender>[1],
  ): Kind => ({ name, dictionary, maxLength: HEAD, send: sender(undefined, make) });
  const serversKey = await office.keyOn('enterprise', AMPLE);
  const server = bearer(serversKey.secret);
  const { id: rexId } = await services.pets.create(
    { name: 'Rex', categoryId: 1n, status: 'available' },
    serversKey.apiKey.projectId,
  );
  const rex = `/v1/pets/${rexId}`;
  async function createOwner() {
    const { id } = await services.projects.create({
      name: 'Publisher',
      plan: 'enterprise',
      customQuota: AMPLE,
    });
    return services.apiKeys.create({ name: 'owner', role: 'owner', projectId: id });
  }
  const ownersKey = await createOwner();
  const ofClient = () => `X-Forwarded-For: ${newClient()}`;
  const browser = [bearer(store.secret), `Origin: http://${store.host}`];
  const { headers: signedIn } = await dashboardClient(target, { host: HOST }).enter(ownersKey.secret);
  const session = Object.entries(signedIn).map(([name, value]) => `${name}: ${value}`);
  const administration = services.administration({ role: 'command line' });

  const get =
    (path: string, headers: () => string[] = () => [], host?: string) =>
    (text: string) =>
      requestOf(`GET ${path}${text.replaceAll(' ', '')}`, {
        headers: headers(),
        ...(host !== undefined && { host }),
      });
  /** The text is the rest of the head. */
  const withHead =
    (line: string, headers: string[] = [], host?: string) =>
    (text: string) =>
      requestOf(line, { headers: [...headers, `X-Last: ${text}`], ...(host !== undefined && { host }) });

  const rest: Kind[] = [
    {
      name: 'REST list: query',
      dictionary: QUERY,
      maxLength: HEAD,
      send: sender(
        'day',
        get('/v1/pets?', () => [server]),
      ),
    },
    {
      name: 'REST list: headers',
      dictionary: HEADERS,
      maxLength: HEAD,
      send: sender('day', withHead('GET /v1/pets?limit=100', [server])),
    },
    {
      name: 'REST get: path',
      dictionary: PATH,
      maxLength: HEAD,
      send: sender(
        'day',
        get('/v1/pets/', () => [server]),
      ),
    },
    {
      name: 'REST create: body',
      dictionary: JSON_WORDS,
      maxLength: BODY,
      send: sender('day', (text) => post('/v1/pets', [server], text)),
    },
    {
      name: 'REST update: path',
      dictionary: PATH,
      maxLength: HEAD,
      send: sender('day', (text) =>
        requestOf(`PATCH /v1/pets/${text.replaceAll(' ', '')}`, { headers: [server, ...json], body: '{}' }),
      ),
    },
    {
      name: 'REST update: headers',
      dictionary: HEADERS,
      maxLength: HEAD,
      send: sender('day', (text) =>
        requestOf(`PATCH ${rex}`, {
          headers: [server, ...json, `If-Match: ${text}`],
          body: '{"status":"sold"}',
        }),
      ),
    },
    {
      name: 'REST update: body',
      dictionary: JSON_WORDS,
      maxLength: BODY,
      send: sender('day', (text) => requestOf(`PATCH ${rex}`, { headers: [server, ...json], body: text })),
    },
    {
      name: 'REST delete: path',
      dictionary: PATH,
      maxLength: HEAD,
      send: sender('day', (text) =>
        requestOf(`DELETE /v1/pets/${text.replaceAll(' ', '')}`, { headers: [server] }),
      ),
    },
    {
      // Of no version that a pet has, so that it stays.
      name: 'REST delete: headers',
      dictionary: HEADERS,
      maxLength: HEAD,
      send: sender('day', withHead(`DELETE ${rex}`, [server, 'If-Match: "x"'])),
    },
    uncharged('REST without a key: path', PATH, get('/v1/')),
    uncharged('REST without a key: headers', HEADERS, withHead('GET /v1/pets')),
  ];

  const costly = document(`{${Array.from({ length: 200 }, (_, i) => `a${i}:pets{id}`).join(' ')}}`);
  const graphql: Kind[] = [
    {
      name: 'GraphQL',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: sender('day', (text) => post('/graphql', [server], document(text))),
    },
    {
      name: 'GraphQL: a batch of ten',
      dictionary: GRAPHQL,
      maxLength: BODY / MAX_BATCH - 100,
      frame: query,
      send: sender('day', (text) => post('/graphql', [server], batch(text))),
    },
    {
      name: 'GraphQL: a batch that is too costly',
      dictionary: GRAPHQL,
      maxLength: 6000,
      frame: query,
      send: sender(
        'day',
        async (text) => {
          const { secret } = await office.keyOn('enterprise', SMALL);
          const entries = [...Array.from({ length: MAX_BATCH - 1 }, () => document(text)), costly];
          return post('/graphql', [bearer(secret)], `[${entries.join(',')}]`);
        },
        SMALL.requestsPerDay,
      ),
    },
    {
      name: 'GraphQL with a browser key',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: sender('day', (text) => post('/graphql', [...browser, ofClient()], document(text))),
    },
    {
      name: 'GraphQL with a browser key whose share is used up',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: async (text) => {
        const client = `X-Forwarded-For: ${newClient()}`;
        const ask = sender(undefined, (each) => post('/graphql', [...browser, client], document(each)));
        for (let i = 0; i <= SHARE; i++) await ask('{__typename}');
        return ask(text);
      },
    },
    {
      name: 'GraphQL: changes',
      dictionary: [
        ...words(
          `a§:updatePet(input:{id:${rexId} status:sold}){pet{id name project{name}}} `,
          `b§:updatePet(input:{id:${rexId} status:sold ifName:"x"}){pet{id}} `,
          `c§:deletePet(input:{id:${rexId} ifName:"x"}){deletedPetId} `,
          'd§:deletePet(input:{id:§}){deletedPetId} ',
          'e§:createPet(input:{name:"x§" categoryId:1}){id} ',
          '__typename ',
        ),
        times(1, `updatePet(input:{id:${rexId} name:"`, '"}){pet{id}} '),
        ...words('x', '😀', 'İ'),
      ],
      maxLength: 16_000,
      frame: mutation,
      send: sender('day', (text) => post('/graphql', [server], document(text))),
    },
    {
      name: 'GraphQL by GET',
      dictionary: [...GRAPHQL, ...QUERY],
      maxLength: HEAD,
      frame: query,
      send: sender('day', (text) =>
        requestOf(`GET /graphql?query=${encodeURIComponent(text).slice(0, HEAD)}`, { headers: [server] }),
      ),
    },
    {
      name: 'GraphQL: body',
      dictionary: JSON_WORDS,
      maxLength: BODY,
      send: sender('day', (text) => post('/graphql', [server], text)),
    },
    {
      name: 'GraphQL: variables',
      dictionary: JSON_WORDS,
      maxLength: BODY,
      send: sender('day', (text) =>
        post(
          '/graphql',
          [server],
          `{"query":"query($v:[Int64!]!){petsByIds(ids:$v){id}}","variables":{"v":${text}}}`,
        ),
      ),
    },
    {
      name: 'GraphQL without a key',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: sender(undefined, (text) => post('/graphql', [], document(text))),
    },
  ];

  const site: Kind[] = [
    {
      name: 'a site: path',
      dictionary: PATH,
      maxLength: HEAD,
      send: sender(
        undefined,
        get('/', () => [], store.host),
      ),
    },
    uncharged('a site: headers of a file', HEADERS, withHead('GET /app.js', [], store.host)),
    {
      name: 'a site: /graphql',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: sender('day', (text) =>
        post('/graphql', [bearer(store.secret), ofClient()], document(text), store.host),
      ),
    },
    uncharged(
      'an unknown host',
      words('a.', 'a', '-', ':', '[', ']', '1', '.', '@', '%41', 'xn--a.'),
      (text) => requestOf('GET /', { host: text }),
    ),
  ];

  const dashboard: Kind[] = [
    uncharged('dashboard: path', PATH, get('/dashboard/')),
    uncharged('dashboard: headers', HEADERS, withHead('GET /dashboard/session')),
    {
      name: 'dashboard: signing in',
      dictionary: JSON_WORDS,
      maxLength: BODY,
      send: sender(undefined, (text) => post('/dashboard/session', [`Origin: ${ORIGIN}`, ofClient()], text)),
    },
    {
      name: 'dashboard: GraphQL',
      dictionary: GRAPHQL,
      maxLength: 16_000,
      frame: query,
      send: sender('dashboard', (text) =>
        requestOf('POST /graphql', { headers: session, body: document(text) }),
      ),
    },
  ];

  const others: Kind[] = [
    {
      name: 'an upload',
      dictionary: words(...LETTERS),
      maxLength: ARCHIVE_ENTRIES,
      msPerUnit: MS_PER_UPLOAD,
      send: sender(
        'day',
        async (text) => {
          // One project may not have as many that come to nothing.
          const { apiKey, secret } = await createOwner();
          const { id } = await administration.createDeploy({ projectId: apiKey.projectId ?? '' });
          return requestOf(`PUT /deploys/${id}/archive`, {
            headers: [bearer(secret), 'Content-Type: application/gzip'],
            body: archiveOf(text),
          });
        },
        AMPLE.requestsPerDay,
      ),
    },
    uncharged('health: query', QUERY, get('/health/ready?')),
    uncharged('health: headers', HEADERS, withHead('GET /health/ready')),
    uncharged('metrics without a key', HEADERS, withHead('GET /metrics')),
    uncharged('docs: path', PATH, get('/docs/')),
    uncharged('docs: headers', HEADERS, withHead('GET /docs/openapi.json')),
    uncharged('the start page', HEADERS, withHead('GET /', ['Accept: text/html'])),
    {
      name: 'what is no request',
      dictionary: RAW,
      maxLength: BODY,
      send: (text) => sendRaw(`${text}\r\n\r\n`),
    },
  ];
  return [...rest, ...graphql, ...site, ...dashboard, ...others];
}
