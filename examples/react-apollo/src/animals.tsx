import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from './gql';

const ANIMALS = graphql(`
  query Animals($after: String) {
    petsConnection(status: available, first: 20, after: $after) {
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
`);

export function Animals() {
  const { data, loading, error, fetchMore } = useQuery(ANIMALS, { notifyOnNetworkStatusChange: true });
  const [moreError, setMoreError] = useState<Error>();
  const pets = data?.petsConnection;
  const failure = error ?? moreError;

  /** A failed page leaves `error` as it is, and rejects instead. */
  function showMore() {
    setMoreError(undefined);
    fetchMore({ variables: { after: pets?.pageInfo.endCursor ?? null } }).catch(setMoreError);
  }

  return (
    <>
      <h1>Animals for adoption</h1>
      <ul>
        {pets?.edges.map(({ node }) => (
          <li key={node.id}>{node.name}</li>
        ))}
      </ul>
      {failure && <p role="alert">{describe(failure)}</p>}
      {loading && <p>Loading…</p>}
      {!loading && pets?.pageInfo.hasNextPage && <button onClick={showMore}>Show more</button>}
    </>
  );
}

/** The first error of the gateway, with the wait that it asks for. */
function describe(error: Error): string {
  const first = CombinedGraphQLErrors.is(error) ? error.errors[0] : undefined;
  const seconds = first?.extensions?.['retryAfterSeconds'];
  return typeof seconds === 'number' ? `${error.message} Try again in ${seconds} seconds.` : error.message;
}
