import { failureOf, send } from './send.js';

/** The page's information about the signed-in key. The key itself stays on the server, behind an HttpOnly cookie. */
export interface Session {
  role: 'owner' | 'admin';
  keyId: string;
  keyName: string;
  /** Null for an admin key. */
  projectId: string | null;
  expiresAt: string;
  /** Sent with every request that changes something. */
  csrfToken: string;
}

const PATH = '/dashboard/session';

/** @throws ApiFailure */
export async function signIn(apiKey: string): Promise<Session> {
  const answer = await send(PATH, { method: 'POST', body: { apiKey } });
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Session;
}

/** Resolves to undefined if nobody is signed in. @throws ApiFailure */
export async function currentSession(): Promise<Session | undefined> {
  const answer = await send(PATH);
  if (answer.status === 401) return undefined;
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Session;
}

/** @throws ApiFailure */
export async function signOut(csrfToken: string): Promise<void> {
  const answer = await send(PATH, { method: 'DELETE', csrfToken });
  // The session had already ended, so the goal is reached.
  if (!answer.isOk && answer.status !== 401) throw failureOf(answer);
}
