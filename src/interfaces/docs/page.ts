import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { PAGE_COLOURS, PAW } from '../../http/answers/page-look.js';
import type { ServedFile } from '../../http/answers/served-file.js';

/** The style sheet of all pages below. */
const STYLE = `${PAGE_COLOURS}
body {
  margin: 0;
}

/* The API reference and the editor have a switch of their own. */
body.light-mode,
body.graphiql-light {
  color-scheme: light;
}

body.dark-mode,
body.graphiql-dark {
  color-scheme: dark;
}

.bar {
  box-sizing: border-box;
  display: flex;
  gap: 1.25rem;
  align-items: center;
  height: var(--bar-height);
  padding: 0 1rem;
  overflow-x: auto;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
  color: var(--ink);
  font: 0.875rem/1.4 var(--font);
  white-space: nowrap;
}

.bar a {
  flex: none;
  color: var(--quiet);
  text-decoration: none;
}

.bar a:hover,
.bar a[aria-current] {
  color: var(--ink);
}

.bar .brand {
  display: inline-flex;
  gap: 0.5rem;
  align-items: center;
  color: var(--ink);
  font-weight: 620;
}

/* On a phone, all links are in sight: two lines, and of the brand only the paw. */
@media (width < 46rem) {
  :root {
    --bar-height: 4.75rem;
  }

  .bar {
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    align-content: center;
  }

  .bar .brand {
    width: 20px;
    overflow: hidden;
  }

  .bar .brand img {
    flex: none;
  }
}

a:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
  border-radius: 0.25rem;
}

.plain {
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}

.plain main {
  max-width: 46rem;
  margin: 0 auto;
  padding: 2rem 1rem 4rem;
}

.plain main a {
  color: var(--accent);
}

.plain h1,
.plain h2,
.plain h3 {
  line-height: 1.25;
  font-weight: 620;
}

.plain h2 {
  margin-top: 2.5rem;
}

.notice {
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.625rem;
  background: var(--sunken);
  color: var(--quiet);
  font-size: 0.875rem;
}

.plain code {
  padding: 0.1em 0.3em;
  border-radius: 0.25rem;
  background: var(--sunken);
  font: 0.875em var(--mono);
}

.plain pre {
  padding: 0.75rem 1rem;
  overflow-x: auto;
  border: 1px solid var(--line);
  border-radius: 0.625rem;
  background: var(--surface);
  overflow-wrap: normal;
}

.plain pre code {
  padding: 0;
  background: none;
}

.table {
  overflow-x: auto;
}

.plain table {
  border-collapse: collapse;
  overflow-wrap: normal;
}

.plain th,
.plain td {
  padding: 0.4rem 0.75rem;
  border: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}

.plain [align='right'] {
  text-align: right;
}

.plain img {
  max-width: 100%;
}

.home main {
  max-width: 40rem;
  padding-top: 12vh;
}

.home h1 {
  margin: 1rem 0 0.5rem;
  font-size: 2rem;
  letter-spacing: -0.02em;
}

.home .lead {
  margin: 0 0 2rem;
  color: var(--quiet);
  font-size: 1.125rem;
}

.cards {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
  gap: 0.75rem;
  margin: 0 0 2rem;
  padding: 0;
  list-style: none;
}

.home .cards a {
  display: block;
  box-sizing: border-box;
  height: 100%;
  padding: 1rem 1.125rem;
  border: 1px solid var(--line);
  border-radius: 0.625rem;
  background: var(--surface);
  color: var(--quiet);
  font-size: 0.9375rem;
  text-decoration: none;
}

.home .cards a:hover {
  border-color: var(--accent);
}

.cards strong {
  display: block;
  color: var(--ink);
  font-size: 1.0625rem;
  font-weight: 620;
}

.home .programs {
  color: var(--quiet);
  font-size: 0.9375rem;
}
`;

/** Content-Security-Policy of the pages below that have no script and no inline style. */
const PLAIN_POLICY = contentSecurityPolicy({ 'script-src': "'none'" });

/** The files that all pages load, by path. */
export const PAGE_FILES: Readonly<Record<string, ServedFile>> = {
  '/docs/pages.css': { contentType: 'text/css; charset=utf-8', read: () => STYLE },
  '/docs/paw.svg': { contentType: 'image/svg+xml', read: () => PAW },
  // Browsers ask for it beside a file that is no page, such as /docs/schema.graphql.
  '/favicon.ico': { contentType: 'image/svg+xml', read: () => PAW },
};

interface PageParts {
  /** Text, without markup. */
  title: string;
  /** Path from the page to the gateway's root, so that pages also work below the path prefix of a proxy: `../`. */
  root: string;
  /** Elements to add to the head. */
  head?: string;
  bodyClass?: string;
  /** HTML. */
  body: string;
}

/** Returns an HTML page with the head that all pages have in common. */
export function pageOf({ title, root, head = '', bodyClass = '', body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="${root}docs/paw.svg" />
    <link rel="stylesheet" href="${root}docs/pages.css" />
    ${head}
  </head>
  <body class="${bodyClass}">
    ${body}
  </body>
</html>
`;
}

const LINKS = [
  ['docs', 'Docs'],
  ['docs/reference', 'API reference'],
  ['graphql', 'GraphQL editor'],
  ['dashboard', 'Dashboard'],
] as const;
type Linked = (typeof LINKS)[number][0];

/** Returns the bar at the top of a page. `more`: links of this page only, in HTML. */
export function barOf(root: string, current: Linked, more = ''): string {
  const links = LINKS.map(
    ([path, text]) => `<a href="${root}${path}"${path === current ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  return `<nav class="bar" aria-label="Gateway">
      <a class="brand" href="${root === '' ? './' : root}"><img src="${root}docs/paw.svg" alt="" width="20" height="20" />Animal Adoption Store</a>
      ${links.join('\n      ')}
      ${more}
    </nav>`;
}

/** A page without scripts. */
export function plainPage(parts: PageParts): string {
  return pageOf({ ...parts, bodyClass: `plain ${parts.bodyClass ?? ''}`.trimEnd() });
}

/** How a page without scripts is sent. */
export function servedPlainPage(read: ServedFile['read']): ServedFile {
  return { contentType: 'text/html; charset=utf-8', read, headers: PLAIN_POLICY };
}
