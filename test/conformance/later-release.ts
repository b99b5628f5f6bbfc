import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An error code that this release does not have. */
export const LATER_CODE = 'region_limit_exceeded';

/** Headers that schema/openapi.yaml does not require, because a proxy may remove them. */
const REMOVED = ['cache-control', 'vary', 'x-request-id', 'ratelimit', 'ratelimit-policy'];

/**
 * A gateway as a client may meet it later, with what docs/versioning.md calls harmless: every object of a response has
 * a member more, a 429 has another code, ETags are weak, and headers that need not be there are not.
 * @param url of the gateway that answers
 */
export async function laterRelease(url: string): Promise<{ url: string; close: () => Promise<unknown> }> {
  const server = createServer((req, res) => {
    forward(url, req, res).catch((error: unknown) => {
      res.writeHead(502).end(String(error));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(url: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { authorization = '', 'content-type': type } = req.headers;
  const body = await text(req);
  const answer = await fetch(url + (req.url ?? ''), {
    method: req.method ?? 'GET',
    headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== '' && { body }),
  });
  const headers = new Headers(answer.headers);
  for (const name of [...REMOVED, 'connection', 'keep-alive', 'content-length']) headers.delete(name);
  const etag = headers.get('etag');
  if (etag !== null) headers.set('etag', `W/${etag}`);
  // The text, not its value: integers stay as they are.
  const later = (await answer.text())
    .replaceAll('{"', '{"addedLater":{"by":"a later release"},"')
    .replace('"rate_limit_exceeded"', `"${LATER_CODE}"`);
  res.writeHead(answer.status, Object.fromEntries(headers)).end(later);
}
