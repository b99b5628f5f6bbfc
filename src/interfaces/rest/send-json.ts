import type { Request, Response } from 'express';
import { endWith } from '../../http/answers/end-with.js';
import type { JsonAnswer } from './json-answer.js';

/**
 * Sends 200 with the JSON of a read, or 304 if the client has it already.
 *
 * Express is not used, because it ignores If-None-Match if the request has `Cache-Control: no-cache`, and every fetch
 * sends both together. The directive is for caches; an origin evaluates the condition all the same (RFC 9110 section
 * 13.2.2).
 */
export function sendRead(req: Request, res: Response, { json, etag }: JsonAnswer): void {
  res.setHeader('ETag', etag);
  if (isMatched(etag, req.headers['if-none-match'])) res.status(304).end();
  else sendJson(res, 200, json);
}

/** Express is not used, because it would add a charset, and JSON has none (RFC 8259 section 11). */
export function sendJson(res: Response, status: number, json: string): void {
  res.setHeader('Content-Type', 'application/json');
  res.statusCode = status;
  endWith(res, json);
}

/** If-None-Match compares weakly: `W/` is ignored (RFC 9110 section 13.1.2). */
function isMatched(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const known: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return ifNoneMatch.trim() === '*' || known.includes(etag);
}
