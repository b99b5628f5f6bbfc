import type { GraphQLBody } from '../graphql/client.js';
import { visit, type Visited } from '../sites/visitor.js';
import type { ErrorBody } from '../../support/expect-answer.js';
import type { TestGateway } from '../../support/gateway.js';

export interface SessionBody {
  role: string;
  keyId: string;
  keyName: string;
  projectId: string | null;
  expiresAt: string;
  csrfToken: string;
  plansNote: string | null;
}

type Headers = Readonly<Record<string, string>>;

/** What the page of the dashboard asks, from the origin of the gateway by default. */
export function dashboardClient(
  gateway: Pick<TestGateway, 'url'>,
  at: { host?: string; origin?: string } = {},
) {
  const { host = new URL(gateway.url).host, origin = `http://${host}` } = at;
  const json = { origin, 'content-type': 'application/json' };

  const client = {
    origin,
    send: (method: string, path: string, headers: Headers = {}, body?: string | Uint8Array) =>
      visit(gateway, host, path, { method, headers, ...(body !== undefined && { body }) }),
    signIn: (apiKey: string, headers: Headers = {}) =>
      client.send('POST', '/dashboard/session', { ...json, ...headers }, JSON.stringify({ apiKey })),
    /** A session of its own. */
    async enter(apiKey: string): Promise<DashboardSession> {
      const answer = await client.signIn(apiKey);
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
      const cookie = setCookieOf(answer).split(';', 1)[0] ?? '';
      const { csrfToken } = JSON.parse(answer.text) as SessionBody;
      return sessionOf(client.send, { cookie, csrfToken, json });
    },
  };
  return client;
}

export type DashboardSession = ReturnType<typeof sessionOf>;

function sessionOf(
  send: (method: string, path: string, headers?: Headers, body?: string | Uint8Array) => Promise<Visited>,
  { cookie, csrfToken, json }: { cookie: string; csrfToken: string; json: Headers },
) {
  const full = { ...json, cookie, 'x-csrf-token': csrfToken };
  return {
    /** `name=token`, as a browser sends it. */
    cookie,
    csrfToken,
    /** All that a request needs. */
    headers: full,
    who: (headers: Headers = {}) => send('GET', '/dashboard/session', { cookie, ...headers }),
    leave: (headers: Headers = full) => send('DELETE', '/dashboard/session', headers),
    send,
    graphql: (query: string, headers: Headers = full, method = 'POST') =>
      send(method, '/graphql', headers, JSON.stringify({ query })),
  };
}

/** One Set-Cookie, and no more than one. */
export function setCookieOf({ headers }: Visited): string {
  const [cookie, ...others] = headers['set-cookie'] ?? [];
  expect(others).toEqual([]);
  return cookie ?? '';
}

/** Status and code, in whichever form the error is. */
export function refusalOf({ status, text }: Visited): [number, string] {
  const body = JSON.parse(text) as Partial<ErrorBody> & GraphQLBody;
  return [status, body.code ?? body.errors?.[0]?.extensions.code ?? 'none'];
}

export function messageOf({ text }: Visited): string {
  const body = JSON.parse(text) as Partial<ErrorBody> & GraphQLBody;
  return body.message ?? body.errors?.[0]?.message ?? '';
}

export function detailsOf({ text }: Visited): unknown {
  const body = JSON.parse(text) as Partial<ErrorBody> & GraphQLBody;
  return body.details ?? body.errors?.[0]?.extensions.details;
}

export function bodyOf({ text }: Visited): GraphQLBody {
  return JSON.parse(text) as GraphQLBody;
}
