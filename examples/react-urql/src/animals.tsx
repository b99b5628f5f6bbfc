import { useState } from 'react';
import { gql, useQuery, type CombinedError } from 'urql';

interface Page {
  petsConnection: {
    /** The gateway sends an Int64 as a string, because a JavaScript number does not keep all of its digits. */
    edges: { node: { id: string; name: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

const ANIMALS = gql<Page, { after: string | null }>`
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
`;

export function Animals() {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  return (
    <>
      <h1>Animals for adoption</h1>
      {cursors.map((after, index) => (
        <AnimalsPage
          key={after}
          after={after}
          {...(index === cursors.length - 1 && { onMore: (cursor) => setCursors([...cursors, cursor]) })}
        />
      ))}
    </>
  );
}

/** One page of animals. The last page on display has `onMore`, which shows the page after the cursor. */
function AnimalsPage({ after, onMore }: { after: string | null; onMore?: (cursor: string) => void }) {
  const [{ data, fetching, error }] = useQuery({ query: ANIMALS, variables: { after } });
  const { hasNextPage = false, endCursor = null } = data?.petsConnection.pageInfo ?? {};
  return (
    <>
      <ul>
        {data?.petsConnection.edges.map(({ node }) => (
          <li key={node.id}>{node.name}</li>
        ))}
      </ul>
      {error && <p role="alert">{describe(error)}</p>}
      {fetching && <p>Loading…</p>}
      {onMore && hasNextPage && endCursor !== null && (
        <button onClick={() => onMore(endCursor)}>Show more</button>
      )}
    </>
  );
}

/** The gateway's message, without the prefix that urql adds. That of a 429 says how long to wait. */
function describe({ message, graphQLErrors: [first] }: CombinedError): string {
  return first?.message ?? message;
}
