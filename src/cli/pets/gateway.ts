import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { ApiError, ERROR_STATUS, invalidRequest, type ErrorCode } from '../../lib/errors.js';

/** A gateway elsewhere, and the key to use it with. */
export interface GatewayOptions {
  gateway?: string;
  key?: string;
  keyFile?: string;
}

export interface Gateway {
  /** @throws ApiError as the gateway answers */
  ask<T>(query: string, variables?: Record<string, unknown>): Promise<T>;
  /** Returns the JSON of the response. @throws ApiError as the gateway answers */
  put<T>(path: string, contentType: string, body: AsyncIterable<Uint8Array>): Promise<T>;
}

interface ErrorBody {
  code?: unknown;
  message?: unknown;
}

interface GraphQLBody<T> {
  data?: T | null;
  errors?: readonly { message: string; extensions?: { code?: unknown } }[];
}

/** Adds the options that `gatewayOf` receives. The key is best given in the environment or in a file. */
export function withGateway(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--gateway <url>',
        'use a gateway elsewhere over its API, in place of the database of the settings',
      ).env('PETS_GATEWAY_URL'),
    )
    .addOption(
      new Option(
        '--key <key>',
        'with --gateway: a staff, owner or admin key. Other users of this machine can see it: better use the variable or --key-file',
      ).env('PETS_GATEWAY_KEY'),
    )
    .option('--key-file <file>', 'with --gateway: a file that has the key');
}

/** Undefined without `--gateway`. @throws ApiError invalid_request */
export function gatewayOf({ gateway, key, keyFile }: GatewayOptions): Gateway | undefined {
  if (gateway === undefined) return undefined;
  const origin = originOf(gateway);
  const secret = keyFile === undefined ? key : readFileSync(keyFile, 'utf8').trim();
  if (secret === undefined || secret === '')
    throw invalidRequest({
      field: 'key',
      message: 'is required with --gateway. Set PETS_GATEWAY_KEY, or name a file with --key-file',
    });

  async function send(path: string, init: RequestInit): Promise<unknown> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${secret}`);
    let answer: Response;
    try {
      answer = await fetch(new URL(path, origin), {
        ...init,
        headers,
        // A redirect would send the key elsewhere.
        redirect: 'error',
      });
    } catch (error) {
      const { cause = error } = error as Error;
      throw new Error(
        `${origin} did not answer (${(cause as Error).message}). Check the URL, and that the gateway runs.`,
        { cause: error },
      );
    }
    const body: unknown = await answer.json().catch(() => undefined);
    if (!answer.ok)
      throw errorOf(body as ErrorBody | GraphQLBody<unknown> | undefined, answer.status, origin);
    return body;
  }

  return {
    async ask<T>(query: string, variables: Record<string, unknown> = {}) {
      const body = await send('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors = [] } = body as GraphQLBody<T>;
      if (data == null || errors.length > 0) throw errorOf(body as GraphQLBody<T>, 200, origin);
      return data;
    },
    put: async <T>(path: string, contentType: string, body: AsyncIterable<Uint8Array>) =>
      (await send(path, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body,
        duplex: 'half',
      })) as T,
  };
}

function originOf(text: string): string {
  const { protocol, origin } = URL.canParse(text) ? new URL(text) : { protocol: '', origin: '' };
  if (protocol !== 'http:' && protocol !== 'https:')
    throw invalidRequest({
      field: 'gateway',
      message: `must be a URL such as https://pets.example; received ${JSON.stringify(text)}`,
    });
  return origin;
}

function errorOf(body: ErrorBody | GraphQLBody<unknown> | undefined, status: number, origin: string): Error {
  const first = body !== undefined && 'errors' in body ? body.errors[0] : undefined;
  const code = first === undefined ? (body as ErrorBody | undefined)?.code : first.extensions?.code;
  const message = first === undefined ? (body as ErrorBody | undefined)?.message : first.message;
  if (typeof code === 'string' && code in ERROR_STATUS && typeof message === 'string')
    return new ApiError(code as ErrorCode, message);
  return new Error(`${origin} answered with the status ${status}, and is no gateway of this kind.`);
}
