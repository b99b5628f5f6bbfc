import { askGraphQL, dataOf } from '../../interfaces/graphql/client.js';
import type { TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export interface UsageNode {
  from: string;
  to: string;
  asOf: string;
  requests: number;
  cost: number;
  refused: number;
  bans: number;
  days: {
    date: string;
    requests: number;
    cost: number;
    refused: number;
    byStatus: { status: number; requests: number }[];
  }[];
  groups: { interface: string; operation: string; status: number; requests: number; cost: number }[];
}

export interface RefusalNode {
  at: string;
  code: string;
  message: string;
  interface: string;
  operation: string;
  window: string | null;
  limit: number | null;
  cost: number | null;
  resetAt: string | null;
}

export const USAGE = `from to asOf requests cost refused bans
  days { date requests cost refused byStatus { status requests } }
  groups { interface operation status requests cost }`;
export const REFUSAL = 'at code message interface operation window limit cost resetAt';

/** All requests that were answered are counted, and all counts are in the database. */
export async function writeUsage({ services: { load, recorder } }: TestGateway): Promise<void> {
  await until('no request to be under way', () =>
    Promise.resolve(load.state().inFlight + load.state().receiving === 0),
  );
  await recorder.flush();
}

type Gateway = Pick<TestGateway, 'request'>;

/** @param days the arguments, such as `(from: "…")` */
export async function usageOfKey(
  gateway: Gateway,
  secret: string,
  id: string,
  days = '',
): Promise<UsageNode> {
  const query = `query ($id: ID!) { apiKey(id: $id) { usage${days} { ${USAGE} } } }`;
  const { apiKey } = await dataOf(
    askGraphQL<{ apiKey: { usage: UsageNode } }>(gateway, secret, query, { id }),
  );
  return apiKey.usage;
}

export async function usageOfProject(gateway: Gateway, secret: string, id: string): Promise<UsageNode> {
  const query = `query ($id: ID!) { project(id: $id) { usage { ${USAGE} } } }`;
  const { project } = await dataOf(
    askGraphQL<{ project: { usage: UsageNode } }>(gateway, secret, query, { id }),
  );
  return project.usage;
}

export async function refusalsOf(gateway: Gateway, secret: string, id: string): Promise<RefusalNode[]> {
  const query = `query ($id: ID!) { apiKey(id: $id) { refusals(first: 100) { ${REFUSAL} } } }`;
  const { apiKey } = await dataOf(
    askGraphQL<{ apiKey: { refusals: RefusalNode[] } }>(gateway, secret, query, { id }),
  );
  return apiKey.refusals;
}
