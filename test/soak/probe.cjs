/**
 * Loaded into the gateway by NODE_OPTIONS, so that it can be looked into without a door for that in production: whoever
 * connects to the socket SOAK_PROBE gets its memory after a collection of garbage and what it holds open, as JSON.
 */
const { createServer } = require('node:net');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

// NODE_OPTIONS does not take --expose-gc.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const open = process.getActiveResourcesInfo();
  const count = (kind) => open.filter((each) => each === kind).length;
  socket.end(
    JSON.stringify({ heapUsed, external, rss, sockets: count('TCPSocketWrap'), timers: count('Timeout') }),
  );
});
server.listen(process.env.SOAK_PROBE);
server.unref();
