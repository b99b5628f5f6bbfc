import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { cacheExchange, Client, fetchExchange, Provider } from 'urql';
import { Animals } from './animals';

const client = new Client({
  url: `${import.meta.env.VITE_API_URL}/graphql`,
  exchanges: [cacheExchange, fetchExchange],
  // A browser key is public. It works only from its allowed origins, and only for queries.
  fetchOptions: { headers: { Authorization: `Bearer ${import.meta.env.VITE_API_KEY}` } },
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Provider value={client}>
      <Animals />
    </Provider>
  </StrictMode>,
);
