import type { RawAnswer } from './raw-http.js';

/** The Error object of the specification, with what this gateway adds. */
export interface ErrorBody {
  code: string;
  message: string;
  status: number;
  requestId: string;
  docUrl: string;
  retryAfterSeconds?: number;
  details?: { fields?: { field: string; message: string }[] } & Record<string, unknown>;
}

/** The headers that every answer of either interface carries. */
export function expectCommonHeaders(answer: Response | RawAnswer): void {
  const header = (name: string) => answer.headers.get(name) ?? '';
  expect(header('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect(`${name}: ${header(name)}`).toMatch(/: [0-9]+$/);
  for (const policy of header('ratelimit-policy').split(', ')) expect(policy).toMatch(/^"\w+";q=\d+;w=\d+$/);
  for (const limit of header('ratelimit').split(', ')) expect(limit).toMatch(/^"\w+";r=\d+;t=\d+$/);
}

/** Checks that the answer is the Error object of this status and code; gives its body. */
export async function expectError(answer: Response, status: number, code?: string): Promise<ErrorBody> {
  return expectErrorText(answer, answer.status, await answer.text(), status, code);
}

export function expectRawError(answer: RawAnswer, status: number, code?: string): ErrorBody {
  return expectErrorText(answer, answer.status, answer.body, status, code);
}

function expectErrorText(
  answer: Response | RawAnswer,
  actualStatus: number,
  text: string,
  status: number,
  code: string | undefined,
): ErrorBody {
  const body = JSON.parse(text) as ErrorBody;
  expect({ actualStatus, ...body }).toMatchObject({
    actualStatus: status,
    status,
    code: code ?? (expect.any(String) as string),
    message: expect.any(String) as string,
  });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-request-id')).toBe(body.requestId);
  expectCommonHeaders(answer);
  // Generated clients show no headers of errors.
  const retryAfter = answer.headers.get('retry-after') ?? undefined;
  expect(body.retryAfterSeconds).toBe(retryAfter === undefined ? undefined : Number(retryAfter));
  return body;
}
