import type { Request, RequestHandler } from 'express';
import type { Administration } from '../../features/administration/administration.js';
import type { Changer } from '../../features/keys/changer.js';
import { deployNotFound, type DeploysService } from '../../features/publishing/deploys/deploys-service.js';
import type { Deploy } from '../../features/publishing/deploys/deploy.js';
import { ApiError } from '../../lib/errors.js';
import { endWith } from '../../http/answers/end-with.js';
import { charge, type QuotaParts } from '../../http/steps/enforce-quota.js';
import type { WaitingCallers } from '../../http/steps/current-caller.js';
import { pathOf, requestContextOf } from '../../http/steps/request-context.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { uploaderOf, uploads } from './uploads.js';
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
const TOO_MANY = 'The project has other uploads under way. Wait for them to end, then send this one again.';

/**
 * `PUT /deploys/{id}/archive`: receives the tar.gz of a deploy that `createDeploy` made. It has a body limit of its
 * own, so mount it before the step that reads bodies. Uploads take turns by project, and not by key. Other paths pass on.
 * @throws ApiError
 */
export function uploadArchive(parts: UploadParts, callers: Pick<WaitingCallers, 'watch'>): RequestHandler {
  const receive = uploads(parts, callers, {
    perProject: UPLOADS_PER_PROJECT,
    tooMany: TOO_MANY,
    endedEarly: 'The upload ended before the archive was complete. Send it again.',
  });

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
    const caller = uploaderOf(res, roles);
    const deploy = await parts.deploys.get(id);
    // A deploy of another project is reported like a missing one.
    if (caller.key.role !== 'admin' && deploy.projectId !== caller.project?.id) deployNotFound(id);
    const uploaded = await receive(req, res, deploy.projectId, (archive) =>
      parts.administration(caller).uploadDeploy(deploy, archive),
    );
    res.statusCode = 201;
    res.setHeader('Content-Type', 'application/json');
    endWith(res, renderDeploy(uploaded));
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
