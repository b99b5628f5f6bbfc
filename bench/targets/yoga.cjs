/**
 * GraphQL Yoga on node:http, over the driver, with its default settings. Arguments: MongoDB's URI, the node_modules
 * folder with the packages.
 */
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { resolversOver, typeDefs } = require('./bare-graphql.cjs');
const { openPets } = require('./bare-pets.cjs');
const { listen } = require('./listen.cjs');

const [uri, packages] = process.argv.slice(2);
// All from one folder: two copies of graphql do not know each other's schemas.
const requirePackage = createRequire(join(packages, 'yoga.cjs'));
const { createSchema, createYoga } = requirePackage('graphql-yoga');

async function main() {
  const schema = createSchema({ typeDefs, resolvers: resolversOver(await openPets(uri)) });
  listen(createServer(createYoga({ schema })));
}

void main();
