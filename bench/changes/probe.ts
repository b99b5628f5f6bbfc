import { Agent, request } from 'node:http';

/** Sends one request at a time over one connection. */
export interface Probe {
  /** @returns the response time, milliseconds. @throws Error unless the status is 200 */
  ask: (secret: string) => Promise<number>;
  close: () => void;
}

export function createProbe(url: string): Probe {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: (secret) =>
      new Promise((resolve, reject) => {
        const sentAtMs = performance.now();
        const headers = { Authorization: `Bearer ${secret}` };
        const sent = request(url, { headers, agent }, (response) => {
          response.resume().once('error', reject);
          response.once('end', () => {
            if (response.statusCode === 200) resolve(performance.now() - sentAtMs);
            else reject(new Error(`${url} answered ${response.statusCode}`));
          });
        });
        sent.once('error', reject).end();
      }),
    close: () => agent.destroy(),
  };
}
