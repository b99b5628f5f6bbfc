import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { installedPackage } from './installed-package.js';
import type { ServedFile } from '../../http/answers/served-file.js';

const { folder, version } = installedPackage(require.resolve('swagger-ui-dist/package.json'));
const asset = (name: string) => readFile(join(folder, name));

/** URLs are relative, so that the page also works below the path prefix of a proxy. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Animal Adoption Store API</title>
    <link rel="icon" type="image/png" href="docs/favicon.png?v=${version}" />
    <link rel="stylesheet" href="docs/swagger-ui.css?v=${version}" />
  </head>
  <body>
    <noscript>This page needs JavaScript. The reference without it: <a href="docs/openapi.yaml">openapi.yaml</a></noscript>
    <div class="swagger-ui"><p class="wrapper">
      As files: <a href="docs/openapi.yaml">openapi.yaml</a>, <a href="docs/openapi.json">openapi.json</a>. The same pets
      over GraphQL: <a href="graphql">GraphiQL</a>, <a href="docs/schema.graphql">schema.graphql</a>.
    </p></div>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js?v=${version}"></script>
    <script src="docs/reference.js"></script>
  </body>
</html>
`;

/**
 * `validatorUrl` would send the document to another server. A key that is typed in is forgotten when the page closes.
 * Swagger UI rounds integers past 2^53 when it formats a JSON body, so a body with such integers is shown unformatted.
 */
const START = `const exactIntegers = () => ({
  wrapComponents: {
    responseBody: (ResponseBody, { React }) => (props) => {
      const hasLarge = typeof props.content === 'string' && /[0-9]{16}/.test(props.content);
      return React.createElement(ResponseBody, hasLarge ? { ...props, contentType: 'text/plain' } : props);
    },
  },
});

SwaggerUIBundle({
  url: 'docs/openapi.json',
  dom_id: '#reference',
  plugins: [exactIntegers],
  deepLinking: true,
  showExtensions: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** The API reference: Swagger UI from local files, by the path of each file. */
export const REFERENCE_FILES: Readonly<Record<string, ServedFile>> = {
  '/docs': {
    contentType: 'text/html; charset=utf-8',
    read: () => PAGE,
    // Swagger UI sets style attributes, and its style sheet contains its icons as data URLs.
    headers: contentSecurityPolicy({ 'img-src': "'self' data:", 'style-src': "'self' 'unsafe-inline'" }),
  },
  '/docs/reference.js': { contentType: 'text/javascript; charset=utf-8', read: () => START },
  '/docs/swagger-ui-bundle.js': {
    contentType: 'text/javascript; charset=utf-8',
    read: () => asset('swagger-ui-bundle.js'),
    immutable: true,
  },
  '/docs/swagger-ui.css': {
    contentType: 'text/css; charset=utf-8',
    read: () => asset('swagger-ui.css'),
    immutable: true,
  },
  '/docs/favicon.png': { contentType: 'image/png', read: () => asset('favicon-32x32.png'), immutable: true },
};
