/** node:http that answers every request with an empty 200: what Node itself takes for a request. */
const { createServer } = require('node:http');
const { listen } = require('./listen.cjs');

listen(createServer((_req, res) => res.end()));
