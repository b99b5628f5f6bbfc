import type { ServerResponse } from 'node:http';

/** Ends a response with UTF-8 text. For HEAD, Node omits the body. */
export function endWith(res: ServerResponse, text: string): void {
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
