import type { ApiKey } from '../api-key.js';
import type { ApiKeysService } from '../api-keys-service.js';
import type { Authenticator } from '../authenticator.js';
import type { CallerChecks } from '../caller-checks.js';
import { invitationOver, parseInvitation } from '../invitation.js';
import { hashSecret } from '../secret.js';
import type { Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import type { Caller } from '../caller.js';
import { actorOf } from '../changer.js';
import type { Actor, AuditAction, AuditState } from '../../audit/audit-record.js';
import type { AuditStore } from '../../audit/audit-store.js';
import type { Clock } from '../../../lib/clock.js';
import { createTurns, inTurn } from '../../../lib/turns.js';
import { randomBase62 } from '../../../lib/random-id.js';
import { ApiError } from '../../../lib/errors.js';
import {
  createdAtOf,
  endOfNew,
  extensionOf,
  idOf,
  isOver,
  MOST_LISTED,
  MOST_SESSIONS,
  sessionOver,
  SIGN_IN_ROLES,
  type Session,
} from './session.js';
import { SIGN_IN_LINK_MS, type SignInLinksStore } from './sign-in-link.js';
import { createToken, hashToken, isToken, openHash, sealHash } from './session-token.js';
import type { SessionsStore } from './sessions-store.js';

/** A session, with the current state and role of its key. */
export interface SignedIn {
  session: Session;
  caller: Caller;
}

/** The browser that signs in. */
export interface SigningIn {
  /** The browser's previous session, which ends. */
  earlierToken?: string | undefined;
  /** As browserNameOf returns it. */
  browser?: string | undefined;
}

/** A person who was invited and has not accepted yet. */
export interface Invited {
  key: ApiKey;
  project: Project;
}

export interface SessionsPage {
  /** Newest first, at most MOST_LISTED. */
  sessions: Session[];
  /** Pass it as `after` to get the next page; undefined if this is the last one. */
  next: string | undefined;
}

export interface SessionsService {
  /**
   * Returns the caller with this secret.
   * @throws ApiError invalid_api_key; forbidden if the key's role cannot sign in
   */
  identify(secret: string): Promise<Caller>;
  /**
   * Creates the token of a link that signs in with this key once, within SIGN_IN_LINK_MS. `secretHash` is the hash of a
   * secret of the key: the session ends with that secret.
   * @throws ApiError forbidden if the key's role cannot sign in
   */
  createLink(
    key: Pick<ApiKey, 'id' | 'role' | 'projectId'>,
    secretHash: string,
    actor: Actor,
  ): Promise<{ token: string; expiresAt: Date }>;
  /**
   * Returns the caller that the link signs in. The link ends, whatever happens next.
   * @throws ApiError invalid_api_key if the link was used, has expired or never existed, or its key no longer works
   */
  redeemLink(token: string): Promise<Caller>;
  /**
   * Returns who may accept the invitation. It stays open.
   * @throws ApiError invalid_api_key if it was used or replaced, has expired or never existed, or its key no longer works
   */
  findInvited(invitation: string): Promise<Invited>;
  /**
   * Ends the invitation, and gives the person's key a secret. Of any number of calls at the same time, one succeeds.
   * @throws ApiError as findInvited
   */
  acceptInvitation(invitation: string): Promise<{ caller: Caller; secret: string }>;
  /**
   * Opens a session for the caller. If its key then has more than MOST_SESSIONS, the oldest end.
   * @throws ApiError invalid_api_key if its key or secret no longer works
   */
  open(caller: Caller, browser?: SigningIn): Promise<SignedIn & { token: string }>;
  /**
   * Returns the signed-in session. Looks up the session each time, and authenticates the key as for any request. So
   * when the session ends or the key stops working, this applies at once, on every gateway.
   * @throws ApiError invalid_api_key if the session has ended, or its key or secret no longer works
   */
  find(token: string): Promise<SignedIn>;
  signOut(signedIn: SignedIn): Promise<void>;
  /**
   * A page of the sessions of the same key, this one included.
   * @param after `next` of the previous page; undefined for the first
   */
  list(signedIn: SignedIn, after?: string): Promise<SessionsPage>;
  /** Ends a session of the same key, named as idOf names it. @throws ApiError not_found */
  end(signedIn: SignedIn, id: string): Promise<void>;
  /** Ends all other sessions of the same key. Returns how many. */
  endOthers(signedIn: SignedIn): Promise<number>;
}

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** How long a sign-in waits for others with the same key, milliseconds. */
const MAX_WAIT_MS = 5000;

export interface SessionsServiceParts {
  sessions: SessionsStore;
  links: SignInLinksStore;
  authenticator: Authenticator;
  apiKeys: Pick<ApiKeysService, 'findInvited' | 'acceptInvitation'>;
  projects: Pick<ProjectsStore, 'get'>;
  callerChecks: Pick<CallerChecks, 'require' | 'claim'>;
  audit: Pick<AuditStore, 'add' | 'addOrCount'>;
  /** Runs all or nothing, possibly more than once. */
  transact: (run: () => Promise<void>) => Promise<void>;
  clock: Clock;
}

export function createSessionsService(parts: SessionsServiceParts): SessionsService {
  const { sessions, links, authenticator, apiKeys, projects, callerChecks, audit, transact, clock } = parts;
  /** Transactions that sign in with one key would conflict with each other, and start again and again. */
  const turns = createTurns(1, MAX_WAIT_MS);

  /**
   * Runs a change in the name of a caller. From its second start on it comes before the changes that the key makes
   * meanwhile, which cannot delay it.
   */
  async function transactAs(caller: Caller, run: () => Promise<void>): Promise<void> {
    const claim = randomBase62(16);
    let isRestart = false;
    await transact(async () => {
      if (isRestart) await callerChecks.claim(caller.key.id, claim);
      isRestart = true;
      await callerChecks.require(caller, claim);
      await run();
    });
  }

  /** `before` and `after` contain the session's end; null means that it has ended. */
  function record(
    action: AuditAction,
    caller: Caller,
    { before, after, times = 1 }: { before?: AuditState; after: AuditState; times?: number },
  ) {
    const { id: apiKeyId, projectId } = caller.key;
    const target = { projectId, apiKeyId };
    return audit.addOrCount(
      { at: new Date(clock()), actor: actorOf(caller), action, target, before, after },
      times,
    );
  }

  /** Does nothing, writes no record and returns false if another request ended the session first. */
  async function end(action: AuditAction, { session, caller }: SignedIn): Promise<boolean> {
    const isRemoved = await sessions.remove(session.tokenHash);
    const before = { endsAt: session.endsAt.toISOString() };
    if (isRemoved) await record(action, caller, { before, after: { endsAt: null } });
    return isRemoved;
  }

  async function list({ caller }: SignedIn, after?: string): Promise<SessionsPage> {
    // Two more than a page: the session `after` may come first, and one tells whether there are more.
    const first = MOST_LISTED + 2;
    const from = after === undefined ? undefined : createdAtOf(after);
    const found = await sessions.listOfKey(caller.key.id, { first, from });
    // That session may have ended since.
    const rest = found.slice(found.findIndex((session) => idOf(session) === after) + 1);
    const page = rest.slice(0, MOST_LISTED);
    const last = page.at(-1);
    return {
      // Expired sessions stay in the store for up to a minute.
      sessions: page.filter((session) => !isOver(session, clock())),
      next: last !== undefined && rest.length > MOST_LISTED ? idOf(last) : undefined,
    };
  }

  async function find(token: string): Promise<SignedIn> {
    const foundAtMs = performance.now();
    const session = isToken(token) ? await sessions.find(hashToken(token)) : undefined;
    if (session === undefined || isOver(session, clock())) throw sessionOver();
    const secretHash = openHash(session.sealedSecretHash, token);
    const caller = await authenticator.authenticateHash(secretHash).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'invalid_api_key' ? sessionOver() : error;
    });
    if (!SIGN_IN_ROLES.includes(caller.key.role)) throw sessionOver();
    const expiresAt = extensionOf(session, clock());
    if (expiresAt !== undefined) await sessions.extend(session.tokenHash, expiresAt);
    return { session, caller: { ...caller, session: { tokenHash: session.tokenHash, foundAtMs } } };
  }

  /** A session that has ended need not be ended again. */
  const findEarlier = (token: string) =>
    find(token).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_api_key') return undefined;
      throw error;
    });

  async function findInvited(invitation: string): Promise<Invited> {
    const key = await apiKeys.findInvited(invitation);
    const project = key.projectId === undefined ? undefined : await projects.get(key.projectId);
    if (project === undefined) throw invitationOver();
    return { key, project };
  }

  return {
    find,
    findInvited,
    async acceptInvitation(invitation) {
      let secret = '';
      const { keyId } = parseInvitation(invitation);
      const accept = async () => {
        const { key } = await findInvited(invitation);
        const issued = await apiKeys.acceptInvitation(invitation);
        secret = issued.secret;
        await audit.add({
          at: new Date(clock()),
          actor: { keyId: key.id, role: 'staff' },
          action: 'invitation.accept',
          target: { projectId: key.projectId, apiKeyId: key.id },
          before: { invitedUntil: key.invitation?.expiresAt.toISOString() ?? null },
          after: { invitedUntil: null, start: issued.apiKey.secrets.at(-1)?.start ?? null },
        });
      };
      // One after the other: transactions that all end the same invitation would restart each other.
      await inTurn(turns, keyId, 'Too many sign-ins with this key at once.', () => transact(accept));
      return { caller: await authenticator.authenticateHash(hashSecret(secret)), secret };
    },
    async identify(secret) {
      const caller = await authenticator.authenticate(secret);
      requireSignInRole(caller.key);
      return caller;
    },
    async createLink(key, secretHash, actor) {
      requireSignInRole(key);
      const token = createToken();
      const at = new Date(clock());
      const expiresAt = new Date(at.getTime() + SIGN_IN_LINK_MS);
      const sealedSecretHash = sealHash(secretHash, token);
      await transact(async () => {
        await links.insert({ tokenHash: hashToken(token), sealedSecretHash, keyId: key.id, expiresAt });
        await audit.add({
          at,
          actor,
          action: 'session.createLink',
          target: { projectId: key.projectId, apiKeyId: key.id },
          before: undefined,
          after: { expiresAt: expiresAt.toISOString() },
        });
      });
      return { token, expiresAt };
    },
    async redeemLink(token) {
      const link = isToken(token) ? await links.take(hashToken(token)) : undefined;
      if (link === undefined || link.expiresAt.getTime() <= clock()) throw linkOver();
      const caller = await authenticator.authenticateHash(openHash(link.sealedSecretHash, token));
      requireSignInRole(caller.key);
      return caller;
    },
    async open(caller, { earlierToken, browser } = {}) {
      const token = createToken();
      const nowMs = clock();
      const session: Session = {
        tokenHash: hashToken(token),
        sealedSecretHash: sealHash(caller.secretHash, token),
        keyId: caller.key.id,
        ...(browser !== undefined && { browser }),
        createdAt: new Date(nowMs),
        ...endOfNew(nowMs),
      };
      const earlier = earlierToken === undefined ? undefined : await findEarlier(earlierToken);
      // The key may have been revoked since it was identified.
      const signIn = () =>
        transactAs(caller, async () => {
          if (earlier !== undefined) await end('session.signOut', earlier);
          await sessions.insert(session);
          const { tokenHash, keyId } = session;
          const ended = await sessions.removeOldest(keyId, {
            tokenHash,
            keep: MOST_SESSIONS,
            now: new Date(nowMs),
          });
          if (ended > 0) await record('session.end', caller, { after: { endsAt: null }, times: ended });
          await record('session.signIn', caller, { after: { endsAt: session.endsAt.toISOString() } });
        });
      await inTurn(turns, caller.key.id, 'Too many sign-ins with this key at once.', signIn);
      return { token, session, caller };
    },
    async signOut(signedIn) {
      await transact(async () => {
        await end('session.signOut', signedIn);
      });
    },
    list,
    async end(signedIn, id) {
      const { id: keyId } = signedIn.caller.key;
      const began = await sessions.listOfKey(keyId, { first: MOST_LISTED, from: createdAtOf(id) });
      const session = began.find((each) => idOf(each) === id);
      if (session === undefined || isOver(session, clock())) throw noSuchSession();
      await transactAs(signedIn.caller, async () => {
        if (!(await end('session.end', { ...signedIn, session }))) throw noSuchSession();
      });
    },
    async endOthers({ session, caller }) {
      let ended = 0;
      await transactAs(caller, async () => {
        ended = await sessions.removeOthers(caller.key.id, session.tokenHash, new Date(clock()));
        if (ended > 0) await record('session.end', caller, { after: { endsAt: null }, times: ended });
      });
      return ended;
    },
  };
}

/** @throws ApiError forbidden */
function requireSignInRole({ role }: Pick<ApiKey, 'role'>): void {
  if (SIGN_IN_ROLES.includes(role)) return;
  throw new ApiError(
    'forbidden',
    `Sign in with a key that has the role ${anyOf.format(SIGN_IN_ROLES)}. This key has the role ${role}.`,
  );
}

function noSuchSession(): ApiError {
  return new ApiError('not_found', 'Your key has no such session, or it has ended.');
}

function linkOver(): ApiError {
  return new ApiError(
    'invalid_api_key',
    'This sign-in link was used already, or it has expired. Create another one with `npx pets-gateway open`.',
  );
}
