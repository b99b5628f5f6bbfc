/** node:http with one file in memory: what Node itself costs for a file. Argument: the folder with page.js. */
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { listen } = require('../targets/listen.cjs');

const bytes = readFileSync(join(process.argv[2], 'page.js'));

const server = createServer((_req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Content-Length': bytes.length });
  res.end(bytes);
});
listen(server);
