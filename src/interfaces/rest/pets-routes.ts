import type { IRouter, Request, RequestHandler } from 'express';
import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';
import { callerOf, pathOf, requestContextOf, type RequestContext } from '../../http/steps/request-context.js';
import { compose } from '../../http/steps/compose.js';
import { inTime } from '../../lib/in-time.js';
import { resultOf } from '../../lib/result-of.js';
import type { CreatePetOnce } from '../../features/pets/idempotency/create-pet-once.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { assertJsonBody, jsonOf } from '../../http/steps/read-body.js';
import { cursorOf } from '../../features/pets/cursor.js';
import type { PetsPage, PetsQuery } from '../../features/pets/page.js';
import { parseNewPet } from '../../features/pets/parse-new-pet.js';
import type { Pet } from '../../features/pets/pet.js';
import { petNotFound, type PetsService } from '../../features/pets/pets-service.js';
import type { Operations, RestOperationId } from '../../http/versioning/operation.js';
import { announceDeprecation, endAtSunset } from './deprecation.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { assertNoParameters, parsePetsQuery, searchParametersOf } from './parse-pets-query.js';
import { jsonAnswer, pageAnswer } from './json-answer.js';
import { isOnePetPath, ONE_PET_PATH, PETS_PATH } from './paths.js';
import { renderPet } from './render-pet.js';
import { acceptsJson, onlyRoles } from './route-checks.js';
import { sendJson, sendRead } from './send-json.js';

export interface PetsRoutesParts {
  pets: PetsService;
  createPetOnce: CreatePetOnce;
  clock: Clock;
  operations: Operations;
}

/** Specification 4: three operations, each of which parses, calls and renders. */
export function addPetsRoutes(router: IRouter, parts: PetsRoutesParts): void {
  const { pets, createPetOnce, clock, operations } = parts;

  const listPets: RequestHandler = async (req, res) => {
    const { query, page: answer } = requestContextOf(res).ahead?.list ?? listOf(req, pets);
    const page = await inTime(answer);
    const next = nextLink(query, page, requestContextOf(res).publicUrl);
    // Appended to the links of a deprecation.
    if (next !== undefined) res.appendHeader('Link', next);
    sendRead(req, res, pageAnswer(page));
  };

  const createPet: RequestHandler = async (req, res) => {
    assertJsonBody(req);
    assertNoParameters(searchParametersOf(req.originalUrl));
    const key = idempotencyKeyOf(req);
    const newPet = parseNewPet(jsonOf(req));
    if (key === undefined) {
      sendJson(res, 201, renderPet(await inTime(pets.create(newPet))));
      return;
    }
    const { key: apiKey, project } = callerOf(res);
    const owner = project?.id ?? apiKey.id;
    const { pet, replayed } = await inTime(createPetOnce({ owner, key }, newPet));
    if (replayed) res.setHeader('Idempotency-Replayed', 'true');
    sendJson(res, 201, renderPet(pet));
  };

  const getPet: RequestHandler = async (req, res) => {
    const answer = requestContextOf(res).ahead?.pet ?? petOf(req, pets);
    sendRead(req, res, jsonAnswer(renderPet(await inTime(answer))));
  };

  const checks = [onlyRoles('server', 'owner', 'admin'), acceptsJson];
  const operation = (id: RestOperationId, handler: RequestHandler): RequestHandler => {
    const { deprecation } = operations.rest[id];
    if (deprecation === undefined) return compose(...checks, handler);
    const end = endAtSunset(id, deprecation, clock);
    return compose(announceDeprecation(deprecation), ...checks, end, handler);
  };
  router
    .route(PETS_PATH)
    .get(operation('listPets', listPets))
    .post(operation('createPet', createPet))
    .all(otherMethods('GET, HEAD, POST, OPTIONS'));
  const readOnePet = operation('getPet', getPet);
  const answerOtherMethod = otherMethods('GET, HEAD, OPTIONS');
  // Not a route parameter: Express would decode it, and `%35` is not the canonical 5.
  router.use((req, res, next) => {
    if (!isOnePetPath(pathOf(req))) {
      next();
      return;
    }
    return (req.method === 'GET' || req.method === 'HEAD' ? readOnePet : answerOtherMethod)(req, res, next);
  });
}

/**
 * Begins the read of a request while its charge is decided, so that the request waits for the longer of the two and not
 * for both. Nobody sees what was read unless the charge is admitted. A request that is not valid reads nothing: its
 * route rejects it after the charge. Browser keys are public and may not use this interface. Sessions and
 * browser keys have limits of their own, which come after this.
 */
export function readAhead(pets: PetsService): RequestHandler {
  return (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const context = requestContextOf(res);
    if (isRead && callerOf(res).key.role !== 'browser' && context.isBySession !== true)
      context.ahead = aheadOf(req, pets);
    next();
  };
}

function aheadOf(req: Request, pets: PetsService): RequestContext['ahead'] {
  const path = pathOf(req);
  const begun = resultOf(() => {
    if (path === PETS_PATH) return { list: listOf(req, pets) };
    return isOnePetPath(path) ? { pet: petOf(req, pets) } : undefined;
  });
  return begun instanceof ApiError ? undefined : begun;
}

/** @throws ApiError invalid_request */
function listOf(req: Request, pets: PetsService): { query: PetsQuery; page: Promise<PetsPage> } {
  const query = parsePetsQuery(searchParametersOf(req.originalUrl));
  return { query, page: handled(pets.list(query)) };
}

/** @throws ApiError pet_not_found, invalid_request */
function petOf(req: Request, pets: PetsService): Promise<Pet> {
  const text = pathOf(req).slice(ONE_PET_PATH.length);
  const id = parseCanonicalInt64(text);
  assertNoParameters(searchParametersOf(req.originalUrl));
  return handled(pets.get(id ?? petNotFound(text)));
}

/** The same promise. Nobody waits for it if the charge is rejected; then its error does not count as unhandled. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}

/**
 * The Link header (RFC 8288) to the next page, or undefined if there is none. Without PUBLIC_URL it is relative, because
 * only the client knows the host name that it used.
 */
function nextLink(
  { limit, status }: PetsQuery,
  { pets, hasMore }: PetsPage,
  publicUrl = '',
): string | undefined {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  const query = new URLSearchParams({
    limit: String(limit),
    ...(status && { status }),
    after: cursorOf(last.id),
  });
  return `<${publicUrl}${PETS_PATH}?${query.toString()}>; rel="next"`;
}
