import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { relayStylePagination } from '@apollo/client/utilities';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Animals } from './animals';

const client = new ApolloClient({
  link: new HttpLink({
    uri: `${import.meta.env.VITE_API_URL}/graphql`,
    // A browser key is public. It works only from its allowed origins, and only for queries.
    headers: { Authorization: `Bearer ${import.meta.env.VITE_API_KEY}` },
  }),
  cache: new InMemoryCache({
    // Joins the pages of a list. The arguments that select a list are named, or two lists would mix.
    typePolicies: {
      Query: { fields: { petsConnection: relayStylePagination(['status', 'filter', 'orderBy']) } },
    },
  }),
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ApolloProvider client={client}>
      <Animals />
    </ApolloProvider>
  </StrictMode>,
);
