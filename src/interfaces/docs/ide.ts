import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { barOf, pageOf } from './page.js';
import { readSdl } from './schema-files.js';
import type { ServedFile } from '../../http/answers/served-file.js';

const { version } = JSON.parse(
  readFileSync(require.resolve('@graphql-yoga/render-graphiql/package.json'), 'utf8'),
) as { version: string };

/** GraphiQL, built, as strings in one module of 9 MB. It is loaded at the first request, not at the start. */
const asset = async (name: 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker') =>
  (await import('@graphql-yoga/render-graphiql/graphiql'))[name];

const PAGE = pageOf({
  title: 'GraphQL editor | Animal Adoption Store',
  root: '',
  head: `<link rel="stylesheet" href="docs/graphiql/graphiql.css?v=${version}" />
    <link rel="stylesheet" href="docs/graphiql/page.css" />`,
  bodyClass: 'no-focus-outline',
  body: `${barOf('', 'graphql', '<a href="docs/graphql">Guide</a>\n      <a href="docs/schema.graphql">schema.graphql</a>')}
    <noscript><p>The editor needs JavaScript. The schema without it: <a href="docs/schema.graphql">schema.graphql</a></p></noscript>
    <div id="root"></div>
    <script src="docs/graphiql/graphiql.js?v=${version}"></script>
    <script src="docs/graphiql/start.js"></script>`,
});

/**
 * GraphiQL takes the whole window, but the bar is above it. On a phone, it would put the query and the response side by
 * side in columns of ten characters, and its documentation beside both: there the documentation covers them.
 */
const PAGE_STYLE = `#root {
  height: calc(100dvh - var(--bar-height));
}

#root .graphiql-container {
  width: 100%;
  height: 100%;
}

@media (width < 45rem) {
  .graphiql-main {
    position: relative;
  }

  .graphiql-main > .graphiql-plugin:not(:empty) {
    position: absolute;
    /* Above the scrollbars of the editors. */
    z-index: 20;
    inset: 0;
    background: hsl(var(--color-base));
  }

  .graphiql-session,
  #graphiql-session {
    flex-direction: column;
  }
}
`;

/**
 * Reads the schema from a file, not with an introspection query: it needs no key and costs nothing. Keys are not kept
 * in the browser's storage. The query is not written to the URL: `?query=` in it would be a request to run that query.
 */
const START = `const page = new URL('.', document.baseURI);
globalThis.MonacoEnvironment = {
  getWorkerUrl: (_module, label) => new URL('docs/graphiql/' + label + '.worker.js?v=${version}', page).href,
};

async function ask(params, { headers } = {}) {
  if (params.operationName === 'IntrospectionQuery') {
    const answer = await fetch(new URL('docs/graphiql/introspection.json', page));
    return answer.json();
  }
  const answer = await fetch(new URL('graphql', page), {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(params),
  });
  return answer.json();
}

/** The tab that was active before a reload. GraphiQL itself opens an empty one if its query was never edited. */
function activeTab() {
  const { tabs = [], activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
  const tab = tabs[activeTabIndex];
  return tab && { query: tab.query ?? '', variables: tab.variables ?? '' };
}

YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  // The bar above has the name.
  title: ' ',
  logo: '<span></span>',
  fetcher: ask,
  onEditQuery: () => undefined,
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
  headers: '{\\n  "Authorization": "Bearer <API_KEY>"\\n}',
  ...activeTab(),
  defaultQuery: \`# 1. Replace <API_KEY> in "Headers" below.
#    A reload forgets the key.
# 2. Run the query. It costs 2:
#    1 for each root field.
# Guide: \${new URL('docs/graphql', page)}

query FirstPets {
  pets(status: available, limit: 3) {
    id
    name
    status
  }
  quota {
    windows {
      name
      remaining
    }
  }
}
\`,
});
`;

const SCRIPT = 'text/javascript; charset=utf-8';

/** GraphiQL, for a browser that opens /graphql. */
export const IDE_PAGE: ServedFile = {
  contentType: 'text/html; charset=utf-8',
  read: () => PAGE,
  // Its editor (Monaco) creates style elements at run time, and its style sheet contains an icon font.
  headers: contentSecurityPolicy({
    'font-src': 'data:',
    'img-src': "'self' data:",
    'style-src': "'self' 'unsafe-inline'",
  }),
};

/** The files that the page loads, by path. */
export const IDE_FILES: Readonly<Record<string, ServedFile>> = {
  '/docs/graphiql/start.js': { contentType: SCRIPT, read: () => START },
  '/docs/graphiql/page.css': { contentType: 'text/css; charset=utf-8', read: () => PAGE_STYLE },
  '/docs/graphiql/introspection.json': {
    contentType: 'application/json',
    read: () => JSON.stringify({ data: introspectionFromSchema(buildSchema(readSdl())) }),
  },
  '/docs/graphiql/graphiql.js': { contentType: SCRIPT, read: () => asset('js'), immutable: true },
  '/docs/graphiql/graphiql.css': {
    contentType: 'text/css; charset=utf-8',
    read: () => asset('css'),
    immutable: true,
  },
  '/docs/graphiql/editorWorkerService.worker.js': {
    contentType: SCRIPT,
    read: () => asset('editorWorkerService'),
    immutable: true,
  },
  '/docs/graphiql/json.worker.js': { contentType: SCRIPT, read: () => asset('jsonWorker'), immutable: true },
  '/docs/graphiql/graphql.worker.js': {
    contentType: SCRIPT,
    read: () => asset('graphqlWorker'),
    immutable: true,
  },
};
