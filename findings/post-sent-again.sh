#!/usr/bin/env bash
# Three packages for retries send a POST again by default if the connection breaks before the response, although the
# server may have carried it out: axios-retry (its default condition is called isNetworkOrIdempotentRequestError, and a
# lost connection is a network error for each method), and the retries of two GraphQL clients, which do not ask whether
# the operation is a mutation. RFC 9110 section 9.2.2: a client should not automatically retry a request with a method
# that is not idempotent. got, ky and undici's RetryAgent, for comparison, send the same POST once.
#
# Starts a server on 127.0.0.1 that reads each client's first request to its end, as one that carries it out, and closes
# the connection. Exits with 0 as long as the behaviour is the one below:
#
#   axios-retry 4.5.0 with axios 1.21.1                   2 requests
#   Apollo Client 4.3.8, new RetryLink(), a mutation      2 requests
#   @urql/exchange-retry 2.0.0, a mutation                2 requests
#   got 14.6.6, ky 1.14.3, undici 7.30.2                  1 request each
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund axios@1.21.1 axios-retry@4.5.0 @apollo/client@4.3.8 graphql@16.15.0 rxjs@7.8.2 \
  @urql/core@6.0.3 @urql/exchange-retry@2.0.0 got@14.6.6 ky@1.14.3 undici@7.30.2
node --version

cat > ask.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { Client, fetchExchange } from '@urql/core';
import { retryExchange } from '@urql/exchange-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import { Agent, request, RetryAgent } from 'undici';

const bodies = {};
const server = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  (bodies[req.url] ??= []).push(body);
  if (bodies[req.url].length === 1) req.socket.destroy();
  else res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":{"add":"done"}}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

axiosRetry(axios);
const link = ApolloLink.from([new RetryLink(), new HttpLink({ uri: `${url}/apollo` })]);
const apollo = new ApolloClient({ link, cache: new InMemoryCache() });
const urql = new Client({ url: `${url}/urql`, exchanges: [retryExchange({}), fetchExchange], preferGetMethod: false });
await Promise.allSettled([
  axios.post(`${url}/axios-retry`, { name: 'a' }),
  apollo.mutate({ mutation: gql('mutation { add }') }),
  urql.mutation('mutation { add }', {}),
  got.post(`${url}/got`, { json: { name: 'a' } }),
  ky.post(`${url}/ky`, { json: { name: 'a' } }),
  request(`${url}/undici`, { method: 'POST', body: '{"name":"a"}', dispatcher: new RetryAgent(new Agent()) }),
]);
for (const [path, sent] of Object.entries(bodies).sort())
  console.log(`${path.slice(1)}: ${sent.length}${new Set(sent).size === 1 ? '' : ', not the same'}`);
process.exit(0);
JS
node ask.mjs | tee seen

cat > expected <<'END'
apollo: 2
axios-retry: 2
got: 1
ky: 1
undici: 1
urql: 2
END
diff expected seen
