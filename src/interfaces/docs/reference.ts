import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import type { ServedFile } from '../../http/answers/served-file.js';
import type { Operations } from '../../http/versioning/operations.js';
import { barOf, pageOf } from './page.js';
import { referenceOpenApi, SAMPLE_GATEWAY } from './schema-files.js';

/** The version of Scalar in vendor/scalar, see its README. */
const VERSION = '1.72.1';
/** The path is the same from src/ and from dist/, and in the package. */
const SCALAR = join(__dirname, '../../../vendor/scalar/standalone.js.gz');
const unzip = promisify(gunzip);

const PAGE = pageOf({
  title: 'API reference | Animal Adoption Store',
  root: '../',
  head: '<link rel="stylesheet" href="reference/page.css" />',
  body: `${barOf('../', 'docs/reference', '<a href="openapi.yaml">openapi.yaml</a>\n      <a href="openapi.json">openapi.json</a>')}
    <noscript><p>The reference needs JavaScript. The document without it: <a href="openapi.yaml">openapi.yaml</a></p></noscript>
    <div id="reference"></div>
    <script src="reference/before.js"></script>
    <script src="reference/scalar.js?v=${VERSION}"></script>
    <script src="reference/start.js"></script>`,
});

/** The product's colours and fonts, in Scalar's variables. */
const STYLE = `.bar {
  position: sticky;
  top: 0;
  z-index: 20;
}

:root {
  --scalar-custom-header-height: var(--bar-height);
}

.light-mode,
.dark-mode {
  --scalar-font: var(--font);
  --scalar-font-code: var(--mono);
  --scalar-background-1: var(--surface);
  --scalar-background-2: var(--sunken);
  --scalar-border-color: var(--line);
  --scalar-color-1: var(--ink);
  --scalar-color-2: var(--quiet);
  --scalar-color-3: var(--quiet);
  --scalar-color-accent: var(--accent);
}

/* Scalar's own have too little contrast on a light ground. */
.light-mode {
  --scalar-color-blue: #1f5fae;
  --scalar-color-green: #1d6f3d;
}
`;

/**
 * Scalar keeps a key that is typed in, in localStorage. Here it is in sessionStorage: a reload of the page keeps the
 * key, and the end of the tab forgets it. Without `jitless`, Zod tries whether the Content-Security-Policy allows
 * `eval`, and the browser reports that.
 */
const BEFORE = `Object.defineProperty(globalThis, 'localStorage', { value: sessionStorage });
globalThis.__zod_globalConfig = { jitless: true };
`;

/** Everything that would ask another server for something is off. */
const START = `async function start() {
  const gateway = new URL('..', document.baseURI).href.slice(0, -1);
  const answer = await fetch(new URL('reference/openapi.json', document.baseURI));
  const content = (await answer.text()).replaceAll('${SAMPLE_GATEWAY}', gateway);
  const allOf = (...targets) => Object.fromEntries(targets.map((target) => [target, true]));
  Scalar.createApiReference('#reference', {
    content,
    authentication: { preferredSecurityScheme: 'apiKey' },
    persistAuth: true,
    // Left are curl, Python with requests and Go. The document has the samples in TypeScript.
    hiddenClients: {
      ...allOf('c', 'clojure', 'csharp', 'dart', 'fsharp', 'http', 'java', 'js', 'julia', 'kotlin', 'node', 'objc'),
      ...allOf('ocaml', 'php', 'powershell', 'r', 'ruby', 'rust', 'swift'),
      python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
      shell: ['httpie', 'wget'],
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    orderSchemaPropertiesBy: 'preserve',
    documentDownloadType: 'none',
    hideClientButton: true,
    showDeveloperTools: 'never',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}
start();
`;

const SCRIPT = 'text/javascript; charset=utf-8';

/** The API reference: Scalar from local files, by the path of each file. */
export const referenceFiles = (operations: Operations): Readonly<Record<string, ServedFile>> => ({
  '/docs/reference': {
    contentType: 'text/html; charset=utf-8',
    read: () => PAGE,
    // Scalar creates style elements at run time, and its style sheet contains icons as data URLs.
    headers: contentSecurityPolicy({ 'img-src': "'self' data:", 'style-src': "'self' 'unsafe-inline'" }),
  },
  '/docs/reference/page.css': { contentType: 'text/css; charset=utf-8', read: () => STYLE },
  '/docs/reference/before.js': { contentType: SCRIPT, read: () => BEFORE },
  '/docs/reference/start.js': { contentType: SCRIPT, read: () => START },
  '/docs/reference/openapi.json': {
    contentType: 'application/json',
    read: () => referenceOpenApi(operations),
  },
  '/docs/reference/scalar.js': {
    contentType: SCRIPT,
    read: async () => unzip(await readFile(SCALAR)),
    immutable: true,
  },
});
