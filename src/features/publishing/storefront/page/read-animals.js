/** Queries /graphql on this page's own host, with the key in the page. */
const PAGE_SIZE = 12;
const TIMEOUT_MS = 15_000;
/** The wait if a rejection does not say when to retry. */
const RETRY_AFTER_SECONDS = 10;

const QUERY = `query Animals($first: Int!, $status: PetStatus, $after: String) {
  petsConnection(first: $first, status: $status, after: $after) {
    edges { node { id name categoryId status } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const apiKey = document.querySelector('meta[name="api-key"]').content;

/** The server responded without animals. `retryAfterSeconds`: when the server asks to retry. */
export class Refused extends Error {
  constructor(status, { message = `status ${status}`, retryAfterSeconds } = {}) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Returns a page of animals, as in the schema (ids are strings: numbers would lose digits); of every status if `status`
 * is missing.
 * @throws Refused; the error of fetch if there is no connection, no response in time, or `signal` aborts the request
 */
export async function readAnimals({ status, after, signal }) {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: QUERY, variables: { first: PAGE_SIZE, status, after } }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (answer.status === 429 || answer.status === 503)
    throw new Refused(answer.status, { retryAfterSeconds: retryAfterOf(answer) });
  const { data, errors } = await answer.json();
  if (!answer.ok || errors !== undefined) throw new Refused(answer.status, errors?.[0]);
  const { edges, pageInfo } = data.petsConnection;
  return { animals: edges.map(({ node }) => node), ...pageInfo };
}

function retryAfterOf(answer) {
  const seconds = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? RETRY_AFTER_SECONDS : Math.max(1, seconds);
}
