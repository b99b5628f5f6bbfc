/**
 * Loaded into the gateway by NODE_OPTIONS: on the socket BOUNDS_PROBE each byte is answered with the processor time that
 * the process has used, in microseconds, and the number of its responses, one line each. The answer comes from the event
 * loop, so after the work before.
 */
const { subscribe } = require('node:diagnostics_channel');
const { createServer } = require('node:net');

if (process.env.BOUNDS_PROBE !== undefined) {
  let responses = 0;
  subscribe('http.server.response.finish', () => {
    responses += 1;
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const { user, system } = process.cpuUsage();
      socket.write(`${user + system} ${responses}\n`);
    });
  });
  server.listen(process.env.BOUNDS_PROBE);
  server.unref();
}
