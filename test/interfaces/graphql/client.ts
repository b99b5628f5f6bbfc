import type { TestGateway } from '../../support/gateway.js';

export interface GraphQLBody<T = Record<string, unknown>> {
  data?: T | null;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: {
      code: string;
      status: number;
      requestId: string;
      docUrl: string;
      details?: Record<string, unknown>;
    };
  }[];
  extensions?: {
    cost: { requested: number; windows: { name: string; limit: number; remaining: number }[] };
    deprecations?: { field: string; reason: string; deprecatedAt: string; sunset: string }[];
  };
}

export interface GraphQLAnswer<T> extends GraphQLBody<T> {
  http: number;
  headers: Headers;
}

/** Asks the GraphQL interface as this key. `variables` may be a text of JSON, for integers past 2^53. */
export async function askGraphQL<T = Record<string, unknown>>(
  gateway: Pick<TestGateway, 'request'>,
  key: string,
  query: string,
  variables: Record<string, unknown> | string = {},
  headers: Record<string, string> = {},
): Promise<GraphQLAnswer<T>> {
  const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
  const answer = await gateway.request('/graphql', {
    method: 'POST',
    key,
    body: `{"query":${JSON.stringify(query)},"variables":${text}}`,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return {
    ...((await answer.json()) as GraphQLBody<T>),
    http: answer.status,
    headers: answer.headers,
  };
}

/** The data, when there is no error. */
export async function dataOf<T>(answer: Promise<GraphQLBody<T>>): Promise<T> {
  const { data, errors } = await answer;
  expect(errors).toBeUndefined();
  if (data == null) throw new Error('no data');
  return data;
}

/** The codes of the errors, in their order. */
export async function codesOf(answer: Promise<GraphQLBody<unknown>>): Promise<string[]> {
  return ((await answer).errors ?? []).map(({ extensions }) => extensions.code);
}
