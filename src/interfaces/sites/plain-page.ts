import type { Response } from 'express';
import { endWith } from '../../http/answers/end-with.js';
import { REVALIDATE } from './send-file.js';

/**
 * Sends a page with one sentence to a person, where a site has no page of its own. The page contains no text of the
 * request.
 */
export function sendPlainPage(res: Response, status: number, message: string): void {
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Cache-Control', REVALIDATE);
  res.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  res.setHeader('Vary', 'Accept');
  res.status(status);
  endWith(res, pageOf(message));
}

function pageOf(message: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${message}</title>
    <style>
      :root { color-scheme: light dark; }
      body { display: grid; min-height: 90vh; margin: 0; place-items: center; font: 1.1rem/1.5 system-ui, sans-serif; }
      p { padding: 1rem; text-align: center; }
    </style>
  </head>
  <body><p>${message}</p></body>
</html>
`;
}
