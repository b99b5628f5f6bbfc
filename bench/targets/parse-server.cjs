/**
 * Parse Server with its REST and GraphQL APIs, a static REST key, and nothing else switched on. Arguments: MongoDB's
 * URI, the node_modules folder with the package, the key.
 */
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { listen } = require('./listen.cjs');

const [databaseURI, packages, restAPIKey] = process.argv.slice(2);
const requirePackage = createRequire(join(packages, 'parse-server.cjs'));
const express = requirePackage('express');
const { ParseServer, ParseGraphQLServer } = requirePackage('parse-server');

async function main() {
  const app = express();
  const server = createServer(app);
  const parse = new ParseServer({
    databaseURI,
    appId: 'bench',
    masterKey: `${restAPIKey}-master`,
    restAPIKey,
    serverURL: 'http://127.0.0.1/parse',
    silent: true,
    // The class is made by the first pet.
    allowClientClassCreation: true,
    verifyServerUrl: false,
  });
  await parse.start();
  app.use('/parse', parse.app);
  new ParseGraphQLServer(parse, { graphQLPath: '/graphql' }).applyGraphQL(app);
  listen(server);
}

void main();
