import { until } from '../../support/until.js';

/** What was written through one version, for another one to read. */
export interface Records {
  projectId: string;
  domain: string;
  serverSecret: string;
  revokedSecret: string;
  ownerSecret: string;
  cookie: string;
  idempotencyKey: string;
  petId: string;
}

interface Answer<T> {
  data?: T;
  errors?: unknown[];
}

export async function graphQL<T>(url: string, secret: string, query: string): Promise<T> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await answer.json()) as Answer<T>;
  if (data === undefined || errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

/** The same; a response that MongoDB did not answer in time, on a busy machine, is asked for again. */
function insist<T>(url: string, secret: string, query: string): Promise<T> {
  return until('an answer of the database', () =>
    graphQL<T>(url, secret, query).catch((error: unknown) => {
      if (!String(error).includes('service_unavailable')) throw error;
      return undefined;
    }),
  );
}

interface Quota {
  perMinute: number;
  perDay: number;
}

/** A project on a plan of its own. @returns its id */
export async function makeProject(url: string, admin: string, name: string, quota: Quota): Promise<string> {
  const { createProject } = await insist<{ createProject: { project: { id: string } } }>(
    url,
    admin,
    `mutation { createProject(input: { name: "${name}", plan: enterprise, customQuota: {
      requestsPerMinute: ${quota.perMinute}, requestsPerDay: ${quota.perDay} } }) { project { id } } }`,
  );
  return createProject.project.id;
}

export async function makeKey(url: string, admin: string, projectId: string, role = 'server') {
  const { createApiKey } = await insist<{ createApiKey: { apiKey: { id: string }; secret: string } }>(
    url,
    admin,
    `mutation { createApiKey(input: { projectId: "${projectId}", name: "a key", role: ${role} }) { apiKey { id } secret } }`,
  );
  return { id: createApiKey.apiKey.id, secret: createApiKey.secret };
}

const AMPLE: Quota = { perMinute: 1_000_000, perDay: 10_000_000 };

/** A project with keys, one of them revoked, a session, a site with a domain, and a pet. */
export async function writeRecords(url: string, admin: string, name: string): Promise<Records> {
  const projectId = await makeProject(url, admin, name, AMPLE);
  const server = await makeKey(url, admin, projectId);
  const owner = await makeKey(url, admin, projectId, 'owner');
  const revoked = await makeKey(url, admin, projectId);
  await insist(url, admin, `mutation { revokeApiKey(input: { id: "${revoked.id}" }) { apiKey { state } } }`);
  await insist(
    url,
    owner.secret,
    `mutation { createDeploy(input: { projectId: "${projectId}", template: storefront }) { deploy { state } } }`,
  );
  const domain = `${name}.example.org`;
  await insist(
    url,
    owner.secret,
    `mutation { addDomain(input: { projectId: "${projectId}", name: "${domain}" }) { domain { name } } }`,
  );
  const session = await fetch(`${url}/dashboard/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey: owner.secret }),
  });
  const idempotencyKey = `made by ${name}`.replaceAll(' ', '-');
  const { petId } = await createPet(url, server.secret, idempotencyKey);
  return {
    projectId,
    domain,
    serverSecret: server.secret,
    revokedSecret: revoked.secret,
    ownerSecret: owner.secret,
    cookie: session.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
    idempotencyKey,
    petId,
  };
}

async function createPet(url: string, secret: string, idempotencyKey: string) {
  const answer = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: '{"name":"Rex","categoryId":7}',
  });
  const text = await answer.text();
  return {
    petId: /"id":\s*(\d+)/.exec(text)?.[1] ?? text,
    isReplayed: answer.headers.get('idempotency-replayed') === 'true',
  };
}

const statusOf = async (url: string, headers: Record<string, string>) =>
  (await fetch(url, { headers })).status;
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

export async function expectRecords(url: string, records: Records): Promise<void> {
  const { projectId, domain, serverSecret, revokedSecret, ownerSecret, cookie, idempotencyKey, petId } =
    records;
  const { project } = await insist<{ project: { domains: { name: string }[]; deploys: unknown } }>(
    url,
    ownerSecret,
    `{ project(id: "${projectId}") { domains { name } deploys(first: 1) { edges { node { state } } } } }`,
  );
  expect({
    server: await statusOf(`${url}/v1/pets/${petId}`, bearer(serverSecret)),
    revoked: await statusOf(`${url}/v1/pets`, bearer(revokedSecret)),
    session: await statusOf(`${url}/dashboard/session`, { cookie }),
    pet: await createPet(url, serverSecret, idempotencyKey),
    project,
  }).toEqual({
    server: 200,
    revoked: 401,
    session: 200,
    pet: { petId, isReplayed: true },
    project: { domains: [{ name: domain }], deploys: { edges: [{ node: { state: 'ready' } }] } },
  });
}
