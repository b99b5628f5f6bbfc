import { failureOf, send } from './send.js';
import type { PageInfo } from './use-pages.js';

/** The page's information about the signed-in key. The key itself stays on the server, behind an HttpOnly cookie. */
export interface Session {
  role: 'staff' | 'owner' | 'admin';
  keyId: string;
  keyName: string;
  /** Null for an admin key. */
  projectId: string | null;
  expiresAt: string;
  /** Sent with every request that changes something. */
  csrfToken: string;
  /** What the Plans page says about prices or a contact, the setting PLANS_NOTE. */
  plansNote: string | null;
}

/** A session of the signed-in key. */
export interface ListedSession {
  id: string;
  /** `Firefox on Linux`; null if the browser did not say. */
  browser: string | null;
  createdAt: string;
  /** When the session ends at the latest. */
  expiresAt: string;
  isCurrent: boolean;
}

export interface SessionsPage {
  /** Newest first. */
  sessions: ListedSession[];
  pageInfo: PageInfo;
}

const PATH = '/dashboard/session';
const LIST_PATH = '/dashboard/sessions';

/** Whom an invitation is for. */
export interface Invited {
  name: string;
  projectName: string;
  expiresAt: string;
}

const INVITATION_PATH = '/dashboard/invitation';

/** Reads an invitation, which stays open. @throws ApiFailure */
export async function findInvited(invitation: string): Promise<Invited> {
  const answer = await send(INVITATION_PATH, { method: 'POST', body: { invitation } });
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Invited;
}

/**
 * Ends an invitation, and signs in. Returns the key of the person too, which is never shown again.
 * @throws ApiFailure
 */
export async function acceptInvitation(invitation: string): Promise<Session & { apiKey: string }> {
  const answer = await send(PATH, { method: 'POST', body: { invitation } });
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as Session & { apiKey: string };
}

/** Signs in with a key, or with the token of a link, which works once. @throws ApiFailure */
export async function signIn(credential: { apiKey: string } | { linkToken: string }): Promise<Session> {
  const answer = await send(PATH, { method: 'POST', body: credential });
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

/** A page of the list: the sessions after the cursor, or the newest. @throws ApiFailure */
export async function listSessions(after: string | null): Promise<SessionsPage> {
  const answer = await send(after === null ? LIST_PATH : `${LIST_PATH}?after=${after}`);
  if (!answer.isOk) throw failureOf(answer);
  return answer.body as SessionsPage;
}

/** @throws ApiFailure */
export async function endSession(csrfToken: string, id: string): Promise<void> {
  const answer = await send(`${LIST_PATH}/${id}`, { method: 'DELETE', csrfToken });
  if (!answer.isOk && answer.status !== 404) throw failureOf(answer);
}

/** Returns how many sessions ended. @throws ApiFailure */
export async function endOtherSessions(csrfToken: string): Promise<number> {
  const answer = await send(LIST_PATH, { method: 'DELETE', csrfToken });
  if (!answer.isOk) throw failureOf(answer);
  return (answer.body as { ended: number }).ended;
}
