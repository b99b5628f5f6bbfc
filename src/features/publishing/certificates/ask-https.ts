import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface HttpsQuestion {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** PEM of the roots to trust in place of the system's. */
  ca?: string | undefined;
  timeoutMs: number;
}

export interface HttpsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Chains and directories are a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * One request on a connection of its own: a connection that was kept may be closed by the other side at any moment,
 * and whether a POST on it arrived is then unknown. Redirects are not followed.
 * @throws Error when no whole answer came in time; its `code` says why
 */
export async function askHttps(question: HttpsQuestion): Promise<HttpsAnswer> {
  const { method, url, headers = {}, body, ca, timeoutMs } = question;
  return new Promise((resolve, reject) => {
    const options = { method, headers, ca, agent: false, signal: AbortSignal.timeout(timeoutMs) } as const;
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
