/** sirv in its mode for production, on bare node:http. Argument: the folder, with `.br` and `.gz` beside each file. */
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { listen } = require('../targets/listen.cjs');

const sirv = createRequire(join(__dirname, '../../test/package.json'))('sirv');

listen(createServer(sirv(process.argv[2], { brotli: true, gzip: true, etag: true })));
