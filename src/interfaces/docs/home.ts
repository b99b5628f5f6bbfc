import { plainPage, servedPlainPage } from './page.js';

/** What a person sees at `/`. */
export const HOME_PAGE = servedPlainPage(() =>
  plainPage({
    title: 'Animal Adoption Store',
    root: '',
    bodyClass: 'home',
    body: `<main>
      <img src="docs/paw.svg" alt="" width="48" height="48" />
      <h1>Animal Adoption Store</h1>
      <p class="lead">Pets for adoption, over REST and GraphQL, with one API key and one quota for both.</p>
      <ul class="cards">
        <li><a href="dashboard"><strong>Dashboard</strong> Manage API keys, quotas, sites and domains.</a></li>
        <li><a href="docs/reference"><strong>API reference</strong> Read and try the REST operations, with samples.</a></li>
        <li><a href="graphql"><strong>GraphQL editor</strong> Write and run queries with completion.</a></li>
        <li><a href="docs"><strong>Docs</strong> Learn to call the API and to run the gateway.</a></li>
      </ul>
      <p class="programs">For programs: <a href="docs/openapi.yaml">openapi.yaml</a>,
        <a href="docs/openapi.json">openapi.json</a> and <a href="docs/schema.graphql">schema.graphql</a>.</p>
    </main>`,
  }),
);
