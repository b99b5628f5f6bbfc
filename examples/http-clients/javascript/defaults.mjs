/**
 * Sends one request with each client as it comes, with its retries switched on and nothing else set. Each client gets a
 * path of its own below the address given, so that the server can tell them apart.
 *
 *   node defaults.mjs http://127.0.0.1:3000 GET
 */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { Client, fetchExchange } from '@urql/core';
import { retryExchange } from '@urql/exchange-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import { ofetch } from 'ofetch';
import pRetry from 'p-retry';
import { Agent, request, RetryAgent } from 'undici';
import wretch from 'wretch';
import { retry } from 'wretch/middlewares';

const [server, method] = process.argv.slice(2);
const body = method === 'POST' ? '{"name":"Pixel","categoryId":2}' : undefined;
const headers = { Authorization: 'Bearer key', ...(body && { 'Content-Type': 'application/json' }) };

axiosRetry(axios);

async function askApollo(uri) {
  const link = ApolloLink.from([new RetryLink(), new HttpLink({ uri, headers })]);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  if (method === 'GET') await client.query({ query: gql('{ plans { id } }') });
  else await client.mutate({ mutation: gql('mutation { liftBan { id } }') });
}

async function askUrql(url) {
  const exchanges = [retryExchange({}), fetchExchange];
  const client = new Client({ url, exchanges, preferGetMethod: false, fetchOptions: { headers } });
  if (method === 'GET') await client.query('{ plans { id } }', {});
  else await client.mutation('mutation { liftBan { id } }', {});
}

const CLIENTS = {
  fetch: (url) => fetch(url, { method, headers, body }),
  ky: (url) => ky(url, { method, headers, body }),
  got: (url) => got(url, { method, headers, body }),
  'axios-retry': (url) => axios({ url, method, headers, data: body }),
  'undici RetryAgent': (url) =>
    request(url, { method, headers, body, dispatcher: new RetryAgent(new Agent()) }),
  ofetch: (url) => ofetch(url, { method, headers, body }),
  'wretch retry()': (url) =>
    wretch(url).middlewares([retry()]).headers(headers).fetch(method, '', body).res(),
  'p-retry': (url) =>
    pRetry(async () => {
      const response = await fetch(url, { method, headers, body });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
    }),
  'Apollo RetryLink': askApollo,
  'urql retryExchange': askUrql,
};

await Promise.allSettled(
  Object.entries(CLIENTS).map(([name, ask]) => ask(`${server}/${encodeURIComponent(name)}`)),
);
