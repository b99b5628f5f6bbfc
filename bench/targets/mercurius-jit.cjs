/**
 * Mercurius on Fastify, over the driver, with each query compiled from its second execution on. Arguments: MongoDB's
 * URI, the node_modules folder with the packages.
 */
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { resolversOver, typeDefs } = require('./bare-graphql.cjs');
const { openPets } = require('./bare-pets.cjs');

const [uri, packages] = process.argv.slice(2);
// All from one folder: two copies of graphql do not know each other's schemas.
const requirePackage = createRequire(join(packages, 'mercurius-jit.cjs'));
const { fastify } = requirePackage('fastify');
const mercurius = requirePackage('mercurius');

async function main() {
  const app = fastify({ keepAliveTimeout: 65_000 });
  await app.register(mercurius, { schema: typeDefs, resolvers: resolversOver(await openPets(uri)), jit: 1 });
  console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
}

void main();
