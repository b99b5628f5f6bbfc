import type { Request, RequestHandler } from 'express';
import type { FileFormat, PetsImport } from '../../features/synchronization/pets-import.js';
import { importNotFound, type PetsImports } from '../../features/synchronization/pets-imports.js';
import { endWith } from '../../http/answers/end-with.js';
import type { WaitingCallers } from '../../http/steps/current-caller.js';
import { tooCostly } from '../../features/quotas/quotas-service.js';
import { charge, chargePetsOfSession, type QuotaParts } from '../../http/steps/enforce-quota.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { pathOf, requestContextOf } from '../../http/steps/request-context.js';
import { findRestPath, REST_OPERATIONS } from '../../http/versioning/rest-operations.js';
import { ApiError } from '../../lib/errors.js';
import { uploaderOf, uploads } from './uploads.js';

export interface ImportUploadParts extends QuotaParts {
  petsImports: Pick<PetsImports, 'get' | 'receive'>;
}

const { path, accepts, roles, cost } = REST_OPERATIONS.uploadPetsImport;
/** Lines, or animals that are compared. */
const PER_UNIT = 100;

/**
 * `PUT /imports/{importId}/file`: receives the file of an import that `createPetsImport` made. Charges 1 for each started
 * 100 lines, while they arrive. With `deleteMissing`, it also charges 1 for each started 100 of the project's numbered
 * animals beyond the lines: a file of one line is compared with all of them. Has a body limit of its own, so mount it before the step that reads bodies. Other paths
 * pass on.
 * @throws ApiError
 */
export function uploadPetsImport(
  parts: ImportUploadParts,
  callers: Pick<WaitingCallers, 'watch'>,
): RequestHandler {
  const receive = uploads(parts, callers, {
    perProject: 1,
    tooMany: 'The project has another import whose file arrives. Wait for its end, then send this one again.',
    endedEarly: 'The upload ended before the file was complete. Nothing was changed. Send it again.',
  });

  return async (req, res, next) => {
    const found = findRestPath(pathOf(req));
    if (found?.path !== path) {
      next();
      return;
    }
    const [id = ''] = found.parameters;
    const context = requestContextOf(res);
    context.operation = 'uploadPetsImport';
    await charge(res, cost, parts);
    if (found.operations.get(req.method) !== 'uploadPetsImport') {
      otherMethods(found.allow)(req, res, next);
      return;
    }
    const format = formatOf(req);
    const caller = uploaderOf(res, roles);
    const petsImport = await parts.petsImports.get(id);
    // An import of another project is reported like a missing one.
    if (caller.key.role !== 'admin' && petsImport.projectId !== caller.project?.id) importNotFound(id);
    const isBySession = context.isBySession === true;
    let worked = 0;
    // A session's own request costs its key nothing, and its lines do.
    let charged = isBySession ? 0 : cost;

    async function onWork(count: number): Promise<void> {
      worked += count;
      const units = Math.ceil(worked / PER_UNIT);
      // If no window ever holds them, waiting does not help. An upload that has paid nothing yet pays 1 for that below.
      const refusal = tooCostly(caller, units);
      if (refusal !== undefined && charged > 0) throw refusal;
      const due = units - charged;
      if (due <= 0) return;
      if (isBySession) await chargePetsOfSession(res, due, parts);
      else await charge(res, due, parts);
      charged += due;
    }

    const received = await receive(req, res, petsImport.projectId, (chunks) =>
      parts.petsImports.receive(petsImport, { chunks, format, onWork }, caller),
    );
    res.statusCode = received.state === 'applying' ? 202 : 200;
    res.setHeader('Content-Type', 'application/json');
    endWith(res, renderImport(received));
  };
}

/** @throws ApiError unsupported_media_type */
function formatOf(req: Request): FileFormat {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const mediaType = type.trim();
  const encoding = req.headers['content-encoding'] ?? 'identity';
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (!accepts.includes(mediaType) || encoding.toLowerCase() !== 'identity' || !isUtf8)
    throw new ApiError(
      'unsupported_media_type',
      `Send the file in UTF-8 as Content-Type: ${accepts.join(' or ')}, without a Content-Encoding.`,
    );
  return mediaType === 'text/csv' ? 'csv' : 'ndjson';
}

/** The import as GraphQL shows it. */
function renderImport(petsImport: PetsImport): string {
  const { counts, rejections, createdBy, notRemovedReason, problem, endedAt, deleteAtMost, ...rest } =
    petsImport;
  return JSON.stringify({
    ...rest,
    ...counts,
    deleteAtMost: deleteAtMost ?? null,
    rejectedLines: rejections,
    notRemovedReason: notRemovedReason ?? null,
    problem: problem ?? null,
    endedAt: endedAt ?? null,
    createdByKeyId: createdBy.keyId ?? null,
    createdByRole: createdBy.role,
  });
}
