import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface HttpsQuestion {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** PEM of the roots to trust, instead of the system's roots. */
  ca?: string | undefined;
  timeoutMs: number;
}

export interface HttpsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Chains and directories take a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Sends one request on a new connection. The other side can close a kept-alive connection at any moment, and then
 * the gateway cannot know if a POST on it arrived. Redirects are not followed.
 * @throws Error if no complete response arrives in time; its `code` names the cause
 */
export async function askHttps(question: HttpsQuestion): Promise<HttpsAnswer> {
  const { method, url, headers = {}, body, ca, timeoutMs } = question;
  return new Promise((resolve, reject) => {
    // Certificate authorities require the header (RFC 8555 section 6.1).
    const sent = { 'User-Agent': 'pets-gateway', ...headers };
    const options = {
      method,
      headers: sent,
      ca,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    } as const;
    const asked = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) answer.destroy(new Error('the answer is too long'));
      });
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
