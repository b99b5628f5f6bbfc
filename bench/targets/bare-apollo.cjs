/**
 * Apollo Server 5 by its Express 5 integration, over the driver. Arguments: MongoDB's URI, the node_modules folder
 * with the packages.
 */
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { resolversOver, typeDefs } = require('./bare-graphql.cjs');
const { openPets } = require('./bare-pets.cjs');
const { listen } = require('./listen.cjs');

const [uri, packages] = process.argv.slice(2);
// All from one folder: two copies of graphql do not know each other's schemas.
const requirePackage = createRequire(join(packages, 'bare-apollo.cjs'));
const express = requirePackage('express');
const { ApolloServer } = requirePackage('@apollo/server');
const { expressMiddleware } = requirePackage('@as-integrations/express5');

async function main() {
  const pets = await openPets(uri);
  const apollo = new ApolloServer({
    typeDefs,
    resolvers: resolversOver(pets),
    // They would end the process with what Apollo has under way; the bench ends it when nothing is.
    stopOnTerminationSignals: false,
  });
  await apollo.start();
  const app = express();
  app.use('/graphql', express.json(), expressMiddleware(apollo));
  listen(createServer(app));
}

void main();
