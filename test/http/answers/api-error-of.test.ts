import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { mongo } from 'mongoose';
import { toApiError } from '../../../src/http/answers/api-error-of.js';

let server: Server;
beforeEach(async () => {
  server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
});

test('a write to a connection that the store has just ended is 503, to come again', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const broken = new Promise((resolve) => socket.once('error', resolve));
  // As Node does by itself a tick later.
  socket.once('end', () => socket.end());
  socket.once('end', () => socket.write('too late'));
  socket.resume();
  const error = await broken;
  expect(error).toMatchObject({ code: 'EPIPE', name: 'Error' });
  expect(toApiError(error)).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 2 });
});

test('mongos that does not reach a member is 503, to come again', () => {
  const error = new mongo.MongoServerError({
    message: 'connection refused',
    code: 6,
    codeName: 'HostUnreachable',
  });
  expect(toApiError(error)).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 2 });
});

test('an error of Node that is about nothing outside is ours', () => {
  expect(toApiError(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toMatchObject({
    code: 'internal_error',
  });
});
