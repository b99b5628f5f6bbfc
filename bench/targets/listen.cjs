/** Listens on a free port and prints its address, as the gateway's banner does. */
function listen(server) {
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
}

module.exports = { listen };
