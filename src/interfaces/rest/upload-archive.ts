import type { Request, RequestHandler, Response } from 'express';
import type { Administration } from '../../features/administration/administration.js';
import type { Caller } from '../../features/keys/caller.js';
import type { Changer } from '../../features/keys/changer.js';
import { deployNotFound, type DeploysService } from '../../features/publishing/deploys/deploys-service.js';
import type { Deploy } from '../../features/publishing/deploys/deploy.js';
import { ApiError } from '../../lib/errors.js';
import { createKeyTurns, takeTurn } from '../../lib/key-turns.js';
import { awaitBody } from '../../http/steps/await-body.js';
import { endWith } from '../../http/answers/end-with.js';
import { charge, type QuotaParts } from '../../http/steps/enforce-quota.js';
import { requireCaller, type WaitingCallers } from '../../http/steps/current-caller.js';
import { callerOf, requestContextOf, pathOf } from '../../http/steps/request-context.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { findRestPath, REST_OPERATIONS } from '../../http/versioning/rest-operations.js';

export interface UploadParts extends QuotaParts {
  deploys: Pick<DeploysService, 'get'>;
  administration: (changer: Changer) => Pick<Administration, 'uploadDeploy'>;
}

const { path, accepts, roles, cost } = REST_OPERATIONS.uploadDeploy;
/**
 * Uploads of one project at once. Further uploads of the project wait, however slow their senders are; other projects
 * do not wait.
 */
const UPLOADS_PER_PROJECT = 2;
const MAX_WAIT_MS = 10_000;
const TOO_MANY = 'The project has other uploads under way. Wait for them to end, then send this one again.';

/**
 * `PUT /deploys/{id}/archive`: receives the tar.gz of a deploy that `createDeploy` made. It has a body limit of its
 * own, so mount it before the step that reads bodies. Uploads take turns by project, and not by key. Other paths pass on.
 * @throws ApiError
 */
export function uploadArchive(parts: UploadParts, callers: Pick<WaitingCallers, 'watch'>): RequestHandler {
  const turns = createKeyTurns(UPLOADS_PER_PROJECT, MAX_WAIT_MS);

  return async (req, res, next) => {
    const found = findRestPath(pathOf(req));
    if (found?.path !== path) {
      next();
      return;
    }
    const [id = ''] = found.parameters;
    requestContextOf(res).operation = 'uploadDeploy';
    await charge(res, cost, parts);
    if (found.operations.get(req.method) !== 'uploadDeploy') {
      otherMethods(found.allow)(req, res, next);
      return;
    }
    assertGzip(req);
    const caller = publisherOf(res);
    const deploy = await parts.deploys.get(id);
    // A deploy of another project is reported like a missing one.
    if (caller.key.role === 'owner' && deploy.projectId !== caller.project?.id) deployNotFound(id);
    const ended = new AbortController();
    const end = (error: unknown) => ended.abort(error);
    const body = awaitBody(req, res, end);
    const stopWatching = callers.watch(req, res, end);
    let endTurn: (() => void) | undefined;
    try {
      endTurn = await takeTurn(turns, deploy.projectId, TOO_MANY, ended.signal);
      const uploaded = await parts.administration(caller).uploadDeploy(deploy, received());
      res.statusCode = 201;
      res.setHeader('Content-Type', 'application/json');
      endWith(res, renderDeploy(uploaded));
    } finally {
      stopWatching();
      endTurn?.();
      // The rest of a rejected archive must be read before the connection can carry the next request.
      req.resume();
    }

    /** The archive. Once it is whole, the caller is checked again, and from then on the transaction decides. */
    async function* received(): AsyncGenerator<Uint8Array> {
      yield* bodyOf(req, ended.signal);
      body.arrived();
      stopWatching();
      await requireCaller(res, parts);
    }
  };
}

function assertGzip(req: Request): void {
  const [type = ''] = (req.headers['content-type'] ?? '').toLowerCase().split(';', 1);
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!accepts.includes(type.trim()) || encoding.toLowerCase() !== 'identity')
    throw new ApiError(
      'unsupported_media_type',
      'Send the tar.gz as Content-Type: application/gzip, without a Content-Encoding.',
    );
}

/** @throws ApiError forbidden */
function publisherOf(res: Response): Caller {
  const caller = callerOf(res);
  const { role } = caller.key;
  if (!roles.includes(role))
    throw new ApiError(
      'forbidden',
      `This needs a key with the role owner or admin. This key has the role ${role}.`,
    );
  return caller;
}

/**
 * Yields the bytes as they arrive. If the client disconnects, the deploy still waits for its archive.
 * @throws ApiError invalid_request if the client disconnects; the reason of `signal`
 */
async function* bodyOf(req: Request, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
    throw new ApiError(
      'invalid_request',
      'The upload ended before the archive was complete. Send it again.',
      { cause: error },
    );
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

/** The deploy as GraphQL shows it. Its upload has just made it live, or says why not. */
function renderDeploy({
  createdBy,
  message,
  notLiveReason,
  uploadExpiresAt: _past,
  ...deploy
}: Deploy): string {
  return JSON.stringify({
    ...deploy,
    message: message ?? null,
    createdByKeyId: createdBy.keyId ?? null,
    createdByRole: createdBy.role,
    isLive: notLiveReason === undefined,
    notLiveReason: notLiveReason ?? null,
  });
}
