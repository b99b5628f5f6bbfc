/**
 * Loaded into the gateway by NODE_OPTIONS, so that production needs no endpoint for it. A client that
 * connects to the socket SOAK_PROBE gets the memory after a garbage collection, and the open handles, as JSON.
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
