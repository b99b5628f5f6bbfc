import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';
import { callerOf, pathOf, requestContextOf } from '../../http/steps/request-context.js';
import { inTime } from '../../lib/in-time.js';
import { resultOf } from '../../lib/result-of.js';
import type { PetsOfCaller } from '../../features/administration/pets-of-caller.js';
import type { DoneOnce } from '../../features/pets/idempotency/create-pet-once.js';
import { assertNoBody, jsonOf } from '../../http/steps/read-body.js';
import { cursorOf } from '../../features/pets/cursor.js';
import type { PetsPage, PetsQuery } from '../../features/pets/page.js';
import { parsePetChanges } from '../../features/pets/parse-pet-changes.js';
import { parseNewPet } from '../../features/pets/parse-new-pet.js';
import type { Pet } from '../../features/pets/pet.js';
import { petNotFound, type PetsService } from '../../features/pets/pets-service.js';
import { findRestPath, REST_OPERATIONS } from '../../http/versioning/rest-operations.js';
import { preconditionOf, withCurrentETag } from './if-match.js';
import { idempotencyKeyOf } from '../../http/steps/idempotency-key.js';
import { assertNoParameters, parsePetsQuery, searchParametersOf } from './parse-pets-query.js';
import { jsonAnswer, pageAnswer } from './json-answer.js';
import { operationOf } from './paths.js';
import { renderPet } from './render-pet.js';
import type { RoutedOperationId } from './rest-routes.js';
import { sendJson, sendRead } from './send-json.js';

export interface PetsRoutesParts {
  pets: PetsService;
  petsOfCaller: PetsOfCaller;
}

/** The operations on pets: each parses, calls and renders. */
export function petsRoutes({
  pets,
  petsOfCaller,
}: PetsRoutesParts): Record<RoutedOperationId, RequestHandler> {
  const listPets: RequestHandler = async (req, res) => {
    const { query, page: answer } = begun.get(res)?.list ?? listOf(req, res, pets);
    const page = await inTime(answer);
    const next = nextCursor(page);
    if (next !== undefined) {
      // Appended to the links of a deprecation.
      res.appendHeader('Link', nextLink(query, next, requestContextOf(res).publicUrl));
      res.setHeader('X-Next-Cursor', next);
    }
    sendRead(req, res, pageAnswer(page));
  };

  const createPet: RequestHandler = async (req, res) => {
    assertNoParameters(searchParametersOf(req.originalUrl));
    const idempotencyKey = idempotencyKeyOf(req);
    const newPet = parseNewPet(jsonOf(req));
    const done = await inTime(petsOfCaller(callerOf(res), idempotencyKey).create(newPet));
    announceReplay(res, done);
    sendChanged(res, 201, done.pet);
  };

  const updatePet: RequestHandler = async (req, res) => {
    assertNoParameters(searchParametersOf(req.originalUrl));
    const id = petIdOf(req);
    const idempotencyKey = idempotencyKeyOf(req);
    const precondition = preconditionOf(req);
    const changes = parsePetChanges(jsonOf(req));
    const change = petsOfCaller(callerOf(res), idempotencyKey).update(id, changes, precondition);
    const done = await withCurrentETag(res, precondition, inTime(change));
    announceReplay(res, done);
    sendChanged(res, 200, done.pet);
  };

  const deletePet: RequestHandler = async (req, res) => {
    assertNoParameters(searchParametersOf(req.originalUrl));
    assertNoBody(req);
    const id = petIdOf(req);
    const idempotencyKey = idempotencyKeyOf(req);
    const precondition = preconditionOf(req);
    const removal = petsOfCaller(callerOf(res), idempotencyKey).remove(id, precondition);
    const done = await withCurrentETag(res, precondition, inTime(removal));
    announceReplay(res, done);
    res.status(204).end();
  };

  const getPet: RequestHandler = async (req, res) => {
    const answer = begun.get(res)?.pet ?? petOf(req, pets);
    sendRead(req, res, jsonAnswer(renderPet(await inTime(answer))));
  };

  return { listPets, createPet, getPet, updatePet, deletePet };
}

/** The ETag is that of a read, so that a client can make its next change conditional without one. */
function sendChanged(res: Response, status: 200 | 201, pet: Pet): void {
  const { json, etag } = jsonAnswer(renderPet(pet));
  res.setHeader('ETag', etag);
  sendJson(res, status, json);
}

function announceReplay(res: Response, { replayed }: DoneOnce): void {
  if (replayed) res.setHeader('Idempotency-Replayed', 'true');
}

/** The reads that began while the charge of their request was decided. */
const begun = new WeakMap<Response, BegunRead>();

interface BegunRead {
  list?: { query: PetsQuery; page: Promise<PetsPage> };
  pet?: Promise<Pet>;
}

/**
 * Begins the read of a request while its charge is decided, so that the request waits for the longer of the two and not
 * for both. Nobody sees what was read unless the charge is admitted. A request that is not valid reads nothing: its
 * route rejects it after the charge. Browser keys are public and may not use this interface. Sessions and
 * browser keys have limits of their own, which come after this.
 */
export function readAhead(pets: PetsService): RequestHandler {
  return (req, res, next) => {
    if (callerOf(res).key.role !== 'browser' && requestContextOf(res).isBySession !== true) {
      const read = beginRead(req, res, pets);
      if (read !== undefined) begun.set(res, read);
    }
    next();
  };
}

function beginRead(req: Request, res: Response, pets: PetsService): BegunRead | undefined {
  const operation = operationOf(req);
  const read = resultOf((): BegunRead | undefined => {
    if (operation === 'listPets') return { list: listOf(req, res, pets) };
    return operation === 'getPet' ? { pet: petOf(req, pets) } : undefined;
  });
  return read instanceof ApiError ? undefined : read;
}

/** @throws ApiError invalid_request */
function listOf(
  req: Request,
  res: Response,
  pets: PetsService,
): { query: PetsQuery; page: Promise<PetsPage> } {
  const query = parsePetsQuery(searchParametersOf(req.originalUrl), callerOf(res).project?.id);
  return { query, page: handled(pets.list(query)) };
}

/** @throws ApiError pet_not_found, invalid_request */
function petOf(req: Request, pets: PetsService): Promise<Pet> {
  assertNoParameters(searchParametersOf(req.originalUrl));
  return handled(pets.get(petIdOf(req)));
}

/** @throws ApiError pet_not_found if no pet can have the id in the path */
function petIdOf(req: Request): bigint {
  // As sent: Express would decode it, and `%35` is not the canonical 5.
  const [text = ''] = findRestPath(pathOf(req))?.parameters ?? [];
  return parseCanonicalInt64(text) ?? petNotFound(text);
}

/** The same promise. Nobody waits for it if the charge is rejected; then its error does not count as unhandled. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}

/** The cursor from which the next page continues; undefined if there is none. */
function nextCursor({ pets, hasMore, end }: PetsPage): string | undefined {
  const last = end ?? pets.at(-1);
  return hasMore && last !== undefined ? cursorOf(last.id) : undefined;
}

/**
 * The Link header (RFC 8288) to the next page. Without PUBLIC_URL it is relative, because only the client knows the host
 * name that it used.
 */
function nextLink(
  { limit, status, categoryId, projectId }: PetsQuery,
  cursor: string,
  publicUrl = '',
): string {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(status && { status }),
    ...(categoryId !== undefined && { categoryId: String(categoryId) }),
    ...(projectId !== undefined && { mine: 'true' }),
    after: cursor,
  });
  return `<${publicUrl}${REST_OPERATIONS.listPets.path}?${query.toString()}>; rel="next"`;
}
