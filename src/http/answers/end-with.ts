import type { ServerResponse } from 'node:http';

/** Ends an answer with text, in UTF-8. To HEAD the text is left out by Node. */
export function endWith(res: ServerResponse, text: string): void {
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
