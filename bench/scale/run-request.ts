import { ask } from '../measure.js';
import type { Load } from '../load.js';
import type { Operation } from './operations.js';

/** Sends the operation's request number `index`, as the load would. @throws Error when the answer is not as it should be */
export async function runRequest(
  { url }: Pick<Load, 'url'>,
  { requests, keys: { secrets }, proof }: Operation,
  index: number,
): Promise<void> {
  const request = requests[index % requests.length];
  const secret = secrets[index % secrets.length];
  if (request === undefined || secret === undefined) throw new Error('an operation has requests and keys');
  const keys = { secrets: [secret], requestsPerKey: 1 };
  const answer = await ask({ url, requests, headers: {}, keys, connections: 1, seconds: 1 }, request);
  const text = await answer.text();
  const count = text.split(proof.text).length - 1;
  if (answer.ok && count === proof.count && !text.includes('"errors"')) return;
  throw new Error(
    `${request.path}: not ${proof.count} × ${proof.text} but ${answer.status} ${text.slice(0, 300)}`,
  );
}
