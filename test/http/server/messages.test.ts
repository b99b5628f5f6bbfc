import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createMessages } from '../../../src/http/server/messages.js';

it('hands Express requests and answers whose prototypes it leaves alone', async () => {
  const messages = createMessages();
  const app = express();
  app.get('/ip', (req, res) => res.json({ ip: req.ip, hasApp: req.app === app && res.app === app }));
  messages.adopt(app);
  const seen: [IncomingMessage, ServerResponse, object | null, object | null][] = [];
  const server = createServer(messages.classes, ((req, res) => {
    seen.push([req, res, prototypeOf(req), prototypeOf(res)]);
    app(req, res);
  }) satisfies RequestListener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ip`);
    expect(await answer.json()).toEqual({ ip: '127.0.0.1', hasApp: true });
  } finally {
    server.close();
    server.closeAllConnections();
  }

  expect(seen).toHaveLength(1);
  for (const [req, res, ofRequest, ofAnswer] of seen) {
    expect(prototypeOf(req)).toBe(ofRequest);
    expect(prototypeOf(res)).toBe(ofAnswer);
  }
});

function prototypeOf(message: object): object | null {
  return Object.getPrototypeOf(message) as object | null;
}
