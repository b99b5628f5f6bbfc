import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { EXAMPLES, installPackages, ROOT } from './install-packages.js';

const APOLLO = join(EXAMPLES, 'apollo-client');
const gateway = useGateway();
beforeAll(() => installPackages(APOLLO));

/** Runs a program with an Apollo Client that has the cache of examples/apollo-client. @returns what it prints, as JSON */
async function runWithCache(program: string): Promise<unknown> {
  const { secret } = await gateway.keyOn('pro');
  const module = `
    import { ApolloClient, gql, HttpLink } from '@apollo/client';
    import { createCache } from './cache.mjs';
    const headers = { Authorization: 'Bearer ${secret}' };
    const link = new HttpLink({ uri: '${gateway.url}/graphql', headers });
    const client = new ApolloClient({ link, cache: createCache() });
    ${program}`;
  return JSON.parse(
    await mustRun(process.execPath, ['--input-type=module', '--eval', module], { cwd: APOLLO }),
  );
}

test('the cache keeps one list for each status, filter and order, and joins the pages of each', async () => {
  for (const [name, status] of [
    ['Ada', 'available'],
    ['Bo', 'sold'],
    ['Cleo', 'available'],
  ] as const)
    await gateway.services.pets.create({ name, categoryId: 1n, status }, undefined);
  const lists = await runWithCache(`
    const ANIMALS = gql\`query ($filter: PetFilter, $orderBy: PetOrder, $after: String) {
      petsConnection(filter: $filter, orderBy: $orderBy, first: 1, after: $after) {
        edges { node { id name } }
        pageInfo { hasNextPage endCursor }
      }
    }\`;
    const lists = [];
    for (const variables of [
      { filter: { status: 'available' } },
      { filter: { status: 'sold' } },
      { filter: { status: 'available' }, orderBy: 'newest' },
    ]) {
      const query = client.watchQuery({ query: ANIMALS, variables });
      query.subscribe({});
      let { data } = await client.query({ query: ANIMALS, variables });
      while (data.petsConnection.pageInfo.hasNextPage) {
        await query.fetchMore({ variables: { after: data.petsConnection.pageInfo.endCursor } });
        data = client.readQuery({ query: ANIMALS, variables });
      }
      lists.push(data.petsConnection.edges.map(({ node }) => node.name));
    }
    console.log(JSON.stringify(lists));
    process.exit();`);
  expect(lists).toEqual([['Ada', 'Cleo'], ['Bo'], ['Cleo', 'Ada']]);
});

test('petsByIds reads an animal that the cache has without a request, and asks for one that it lacks', async () => {
  const [ada, bo] = await Promise.all(
    ['Ada', 'Bo'].map((name) =>
      gateway.services.pets.create({ name, categoryId: 1n, status: 'sold' }, undefined),
    ),
  );
  const results = await runWithCache(`
    const LIST = gql\`{ petsConnection(filter: { nameContains: "Ada" }, orderBy: newest, first: 1) { edges { node { id name } } } }\`;
    const BY_IDS = gql\`query ($ids: [Int64!]!) { petsByIds(ids: $ids) { id name } }\`;
    await client.query({ query: LIST });
    const results = [];
    for (const ids of [['${ada?.id}'], ['${ada?.id}', '${bo?.id}', '9999']]) {
      const cached = client.readQuery({ query: BY_IDS, variables: { ids } });
      const { data } = await client.query({ query: BY_IDS, variables: { ids } });
      results.push(cached?.petsByIds.map(({ name }) => name) ?? null, data.petsByIds.map((pet) => pet?.name ?? null));
    }
    console.log(JSON.stringify(results));
    process.exit();`);
  expect(results).toEqual([['Ada'], ['Ada'], null, ['Ada', 'Bo', null]]);
});

test('docs/graphql.md and examples/react-apollo join pages by the same arguments', async () => {
  const files = ['examples/apollo-client/cache.mjs', 'examples/react-apollo/src/main.tsx', 'docs/graphql.md'];
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
  const [call, ...others] = texts.map((text) => /relayStylePagination\(\[.+?\]\)/.exec(text)?.[0]);
  expect(call).toBeDefined();
  expect(others).toEqual([call, call]);
});
