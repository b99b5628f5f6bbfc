import type { Request, Response } from 'express';
import type { ApiKeyRole } from '../../features/keys/api-key.js';
import type { Caller } from '../../features/keys/caller.js';
import { awaitBody } from '../../http/steps/await-body.js';
import { requireCaller, type CallerParts, type WaitingCallers } from '../../http/steps/current-caller.js';
import { callerOf } from '../../http/steps/request-context.js';
import { ApiError } from '../../lib/errors.js';
import { createTurns, takeTurn } from '../../lib/turns.js';

const MAX_WAIT_MS = 10_000;

interface UploadLimits {
  /**
   * Uploads of one project at once. Further uploads of the project wait, however slow their senders are; other projects
   * do not wait.
   */
  perProject: number;
  /** For a client that waited in vain. */
  tooMany: string;
  /** For a client that disconnects. */
  endedEarly: string;
}

/** Receives the body of an upload in a turn of its project, and calls `run` with the bytes. */
export type ReceiveUpload = <T>(
  req: Request,
  res: Response,
  projectId: string,
  run: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
) => Promise<T>;

/** An upload has a body limit of its own, so mount it before the step that reads bodies. */
export function uploads(
  parts: CallerParts,
  callers: Pick<WaitingCallers, 'watch'>,
  { perProject, tooMany, endedEarly }: UploadLimits,
): ReceiveUpload {
  const turns = createTurns(perProject, MAX_WAIT_MS);

  return async (req, res, projectId, run) => {
    const ended = new AbortController();
    const end = (error: unknown) => ended.abort(error);
    const body = awaitBody(req, res, end);
    const stopWatching = callers.watch(req, res, end);
    let endTurn: (() => void) | undefined;
    try {
      endTurn = await takeTurn(turns, projectId, tooMany, ended.signal);
      return await run(received());
    } finally {
      stopWatching();
      endTurn?.();
      // The rest of a rejected body must be read before the connection can carry the next request.
      req.resume();
    }

    /** The body. Once it is whole, the caller is checked again, and from then on the transaction decides. */
    async function* received(): AsyncGenerator<Uint8Array> {
      yield* bodyOf(req, ended.signal, endedEarly);
      body.arrived();
      stopWatching();
      await requireCaller(res, parts);
    }
  };
}

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** @throws ApiError forbidden */
export function uploaderOf(res: Response, roles: readonly ApiKeyRole[]): Caller {
  const caller = callerOf(res);
  const { role } = caller.key;
  if (!roles.includes(role))
    throw new ApiError(
      'forbidden',
      `This needs a key with the role ${anyOf.format(roles)}. This key has the role ${role}.`,
    );
  return caller;
}

/**
 * Yields the bytes as they arrive.
 * @throws ApiError invalid_request if the client disconnects; the reason of `signal`
 */
async function* bodyOf(req: Request, signal: AbortSignal, endedEarly: string): AsyncGenerator<Uint8Array> {
  // The request is not destroyed: the connection still has to carry the response.
  const chunks = req.iterator({ destroyOnReturn: false }) as AsyncGenerator<Uint8Array, undefined>;
  try {
    for (;;) {
      const { done, value } = await untilAborted(chunks.next(), signal);
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ApiError('invalid_request', endedEarly, { cause: error });
  } finally {
    const released = chunks.return(undefined).catch(() => undefined);
    // Aborted, the next chunk is still awaited, and may never come.
    if (!signal.aborted) await released;
  }
}

/** Resolves as `value`, or rejects with the reason of `signal` if it is aborted before. */
function untilAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
