import { startGatewayProcess, type GatewayProcess } from './gateway-process.js';
import type { ReceivedSpan } from './otlp-receiver.js';

export interface IssuedKey {
  id: string;
  secret: string;
  projectId: string;
}

export interface TracedGateway extends GatewayProcess {
  /** A server key on the Free plan. */
  key: IssuedKey;
  adminKey: string;
  /** Asks as the key, or as whom the headers say; `requestId` finds the trace again. Resolves to the status. */
  get: (path: string, requestId: string, headers?: Record<string, string>) => Promise<number>;
  post: (path: string, requestId: string, body: unknown) => Promise<number>;
}

const ADMIN_KEY = 'an-admin-key-for-the-tests-of-traces';

/** A process of its own, since the settings of OpenTelemetry are those of a process. */
export async function startTracedGateway(env: Record<string, string>): Promise<TracedGateway> {
  const gateway = await startGatewayProcess({ ADMIN_API_KEY: ADMIN_KEY, ...env });
  const key = await issueKey(gateway.url);

  async function ask(path: string, requestId: string, init: RequestInit): Promise<number> {
    const answer = await fetch(gateway.url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${key.secret}`,
        'x-request-id': requestId,
        ...(init.headers as Record<string, string>),
      },
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  return {
    ...gateway,
    key,
    adminKey: ADMIN_KEY,
    get: (path, requestId, headers = {}) => ask(path, requestId, { headers }),
    post: (path, requestId, body) =>
      ask(path, requestId, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}

/** The server span of a request. */
export function spanOf(spans: readonly ReceivedSpan[], requestId: string): ReceivedSpan {
  const found = spans.find(({ attributes }) => attributes['pets_gateway.request_id'] === requestId);
  if (found === undefined) throw new Error(`no span of the request ${requestId}`);
  return found;
}

async function issueKey(url: string): Promise<IssuedKey> {
  const change = async <T>(query: string): Promise<T> => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `mutation { ${query} }` }),
    });
    return ((await answer.json()) as { data: T }).data;
  };
  const { createProject } = await change<{ createProject: { project: { id: string } } }>(
    'createProject(input: { name: "Shop", plan: free }) { project { id } }',
  );
  const projectId = createProject.project.id;
  const { createApiKey } = await change<{ createApiKey: { apiKey: { id: string }; secret: string } }>(
    `createApiKey(input: { projectId: "${projectId}", name: "A key" }) { apiKey { id } secret }`,
  );
  return { id: createApiKey.apiKey.id, secret: createApiKey.secret, projectId };
}
