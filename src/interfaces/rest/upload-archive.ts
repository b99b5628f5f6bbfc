import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import type { Administration } from '../../features/administration/administration.js';
import type { Actor } from '../../features/audit/audit-record.js';
import { deployNotFound, type DeploysService } from '../../features/publishing/deploys/deploys-service.js';
import type { Deploy } from '../../features/publishing/deploys/deploy.js';
import { ApiError } from '../../lib/errors.js';
import { createKeyTurns, takeTurn } from '../../lib/key-turns.js';
import { awaitBody, type AwaitedBody } from '../../http/steps/await-body.js';
import { endWith } from '../../http/answers/end-with.js';
import { charge, type QuotaParts } from '../../http/steps/enforce-quota.js';
import { callerOf, requestContextOf, pathOf } from '../../http/steps/request-context.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { UPLOAD_PATH } from '../../http/steps/upload-path.js';

export interface UploadParts extends QuotaParts {
  deploys: Pick<DeploysService, 'get'>;
  administration: (actor: Actor) => Pick<Administration, 'uploadDeploy'>;
}

const MEDIA_TYPES: readonly string[] = ['application/gzip', 'application/x-gzip'];
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
export function uploadArchive(parts: UploadParts): RequestHandler {
  const answerOtherMethod = otherMethods('PUT, OPTIONS');
  const turns = createKeyTurns(UPLOADS_PER_PROJECT, MAX_WAIT_MS);

  return async (req, res, next) => {
    const id = UPLOAD_PATH.exec(pathOf(req))?.[1];
    if (id === undefined) {
      next();
      return;
    }
    requestContextOf(res).operation = 'uploadDeploy';
    await charge(res, 1, parts);
    if (req.method !== 'PUT') {
      answerOtherMethod(req, res, next);
      return;
    }
    assertGzip(req);
    const actor = actorOf(res);
    const deploy = await parts.deploys.get(id);
    const { project } = callerOf(res);
    // A deploy of another project is reported like a missing one.
    if (actor.role === 'owner' && deploy.projectId !== project?.id) deployNotFound(id);
    const givenUp = new AbortController();
    const body = awaitBody(req, res, (error) => givenUp.abort(error));
    const endTurn = await takeTurn(turns, deploy.projectId, TOO_MANY);
    try {
      const uploaded = await parts
        .administration(actor)
        .uploadDeploy(deploy, bodyOf(req, body, givenUp.signal));
      res.statusCode = 201;
      res.setHeader('Content-Type', 'application/json');
      endWith(res, renderDeploy(uploaded));
    } finally {
      endTurn();
      // The rest of a rejected archive must be read before the connection can carry the next request.
      req.resume();
    }
  };
}

function assertGzip(req: Request): void {
  const [type = ''] = (req.headers['content-type'] ?? '').toLowerCase().split(';', 1);
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!MEDIA_TYPES.includes(type.trim()) || encoding.toLowerCase() !== 'identity')
    throw new ApiError(
      'unsupported_media_type',
      'Send the tar.gz as Content-Type: application/gzip, without a Content-Encoding.',
    );
}

function actorOf(res: Response): Actor {
  const { id, role } = callerOf(res).key;
  if (role !== 'owner' && role !== 'admin')
    throw new ApiError(
      'forbidden',
      `This needs a key with the role owner or admin. This key has the role ${role}.`,
    );
  return { keyId: id, role };
}

/**
 * Yields the bytes as they arrive. If the client disconnects, the deploy still waits for its archive.
 * @param givenUp aborted if the rest must not be awaited
 * @throws ApiError invalid_request if the client disconnects; service_unavailable if the gateway is overloaded
 */
async function* bodyOf(req: Request, body: AwaitedBody, givenUp: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    // The request is not destroyed: the connection still has to carry the response.
    const arriving = req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    yield* untilAborted(arriving, givenUp);
    body.arrived();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      'invalid_request',
      'The upload ended before the archive was complete. Send it again.',
      { cause: error },
    );
  }
}

/** Yields the values of `source` until `signal` is aborted; then throws its reason. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const aborted = once(signal, 'abort').then((): never => {
    throw signal.reason as Error;
  });
  aborted.catch(() => undefined);
  const values = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([values.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it ends after the next value, which may never come.
    void values.return?.().catch(() => undefined);
  }
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
