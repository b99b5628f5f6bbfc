import { failureOf, send } from './send.js';

/** What the page knows of who is signed in. The key itself is behind an HttpOnly cookie, on the server. */
export interface Session {
  role: 'owner' | 'admin';
  keyId: string;
  keyName: string;
  /** Null for an admin key. */
  projectId: string | null;
  expiresAt: string;
  /** Goes with every request that changes something. */
  csrfToken: string;
}

const PATH = '/dashboard/session';

/** @throws ApiFailure */
export async function signIn(apiKey: string): Promise<Session> {
  const answer = await send(PATH, { method: 'POST', body: { apiKey } });
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Session;
}

/** Undefined: nobody is signed in. @throws ApiFailure */
export async function currentSession(): Promise<Session | undefined> {
  const answer = await send(PATH);
  if (answer.status === 401) return undefined;
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Session;
}

/** @throws ApiFailure */
export async function signOut(csrfToken: string): Promise<void> {
  const answer = await send(PATH, { method: 'DELETE', csrfToken });
  // It ended by itself before: that is what was wanted.
  if (!answer.isOk && answer.status !== 401) throw failureOf(answer);
}
