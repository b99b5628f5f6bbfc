/** Adds an animal and reads all that are available over GraphQL, page by page, with Apollo Client. */
import { ApolloClient, ApolloLink, gql, HttpLink } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { map } from 'rxjs';
import { createCache } from './cache.mjs';

const { API_KEY, BASE_URL = 'http://127.0.0.1:3000' } = process.env;

/** RetryLink repeats what throws; that the quota is used up (429) comes as an error of GraphQL. */
class ComeAgain extends Error {
  constructor({ message, extensions }) {
    super(message);
    this.waitMs = extensions.retryAfterSeconds * 1000;
  }
}

const throwComeAgain = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      const wait = result.errors?.find(({ extensions }) => extensions?.retryAfterSeconds !== undefined);
      if (wait !== undefined) throw new ComeAgain(wait);
      return result;
    }),
  ),
);

/** A used-up minute passes. A used-up day can need 24 hours: then the operation fails at once. */
const MAX_WAIT_MS = 70_000;

/** A rejected operation was not executed. After a lost connection nobody knows: then only queries are repeated. */
const mayPass = (operation, error) =>
  error instanceof ComeAgain ? error.waitMs <= MAX_WAIT_MS : operation.operationType === 'query';

const retry = new RetryLink({
  attempts: (count, operation, error) => count < 5 && mayPass(operation, error),
  delay: (count, _operation, error) => (error.waitMs ?? 0) + Math.random() * 500 * 2 ** count,
});

const http = new HttpLink({ uri: `${BASE_URL}/graphql`, headers: { Authorization: `Bearer ${API_KEY}` } });

const client = new ApolloClient({
  link: ApolloLink.from([retry, throwComeAgain, http]),
  cache: createCache(),
});

const ADD = gql`
  mutation Add($input: NewPet!) {
    createPet(input: $input) {
      id
      name
    }
  }
`;

const AVAILABLE = gql`
  query Available($after: String) {
    petsConnection(status: available, first: 100, after: $after) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const { data: added } = await client.mutate({
  mutation: ADD,
  variables: { input: { name: 'Pixel', categoryId: '2' } },
});
console.log('added', added.createPet);

let after;
do {
  const { data } = await client.query({ query: AVAILABLE, variables: { after }, fetchPolicy: 'no-cache' });
  const { edges, pageInfo } = data.petsConnection;
  for (const { node } of edges) console.log(node.id, node.name);
  after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
} while (after !== undefined);
