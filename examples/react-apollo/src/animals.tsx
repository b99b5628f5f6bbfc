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
      {/* The message of a 429 says how long to wait. */}
      {failure && <p role="alert">{failure.message}</p>}
      {loading && <p>Loading…</p>}
      {!loading && pets?.pageInfo.hasNextPage && <button onClick={showMore}>Show more</button>}
    </>
  );
}
