import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { serviceUnavailable } from '../../../src/lib/errors.js';
import { useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';

const GRAPHQL_JSON = 'application/graphql-response+json';
const ADD = gql`
  mutation {
    createPet(input: { name: "Rex", categoryId: 1 }) {
      id
    }
  }
`;

const gateway = useGateway();
afterEach(() => jest.restoreAllMocks());

const faulty = new Error('a fault of the test');
const unavailable = serviceUnavailable('a store is down in this test');

/** How each error comes about, for a key with one request. */
const ERRORS: [what: string, status: number, code: string, fail: (key: string) => unknown][] = [
  ['no quota left', 429, 'rate_limit_exceeded', (key) => gateway.request('/v1/pets?limit=1', { key })],
  [
    'a fault before the execution',
    500,
    'internal_error',
    () => jest.spyOn(gateway.services.quotas, 'charge').mockRejectedValue(faulty),
  ],
  [
    'a store that is down before the execution',
    503,
    'service_unavailable',
    () => jest.spyOn(gateway.services.quotas, 'charge').mockRejectedValue(unavailable),
  ],
  [
    'a store that is down during the execution',
    503,
    'service_unavailable',
    () => jest.spyOn(gateway.services.callerChecks, 'current').mockRejectedValue(unavailable),
  ],
];

/** Sends the mutation with Apollo Client and its RetryLink, which repeats an operation whose response it can't read. */
async function mutate(key: string, headers: Record<string, string> = {}) {
  const responses: string[] = [];
  const http = new HttpLink({
    uri: `${gateway.url}/graphql`,
    headers: { authorization: `Bearer ${key}`, ...headers },
    async fetch(input, init) {
      const response = await fetch(input, init);
      responses.push(`${response.status} ${response.headers.get('content-type')}`);
      return response;
    },
  });
  const link = ApolloLink.from([new RetryLink({ delay: { initial: 1 } }), http]);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const error: unknown = await client.mutate({ mutation: ADD }).catch((thrown: unknown) => thrown);
  const codes = CombinedGraphQLErrors.is(error)
    ? error.errors.map(({ extensions }) => extensions?.['code'])
    : [];
  return { responses, codes };
}

test.each(ERRORS)(
  'after %s (%i), Apollo Client reads the error and sends a mutation once',
  async (_what, status, code, fail) => {
    const { secret } = await gateway.keyOn('enterprise', { ...AMPLE, requestsPerMinute: 1 });
    await fail(secret);
    expect(await mutate(secret)).toEqual({
      responses: [`${status} ${GRAPHQL_JSON}; charset=utf-8`],
      codes: [code],
    });
  },
);

test('under application/json, it sends the mutation five times: the media type is what it goes by', async () => {
  const { secret } = await gateway.keyOn('enterprise', { ...AMPLE, requestsPerMinute: 1 });
  await gateway.request('/v1/pets?limit=1', { key: secret });
  const { responses, codes } = await mutate(secret, { accept: 'application/json' });
  expect(responses).toEqual(Array.from({ length: 5 }, () => '429 application/json; charset=utf-8'));
  expect(codes).toEqual([]);
});
