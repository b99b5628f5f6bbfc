import type { IRouter, RequestHandler } from 'express';
import type { Clock } from '../lib/clock.js';
import { parseCanonicalInt64 } from '../lib/int64.js';
import { callerOf, pathOf } from '../http/exchange.js';
import { inOnePass } from '../http/in-one-pass.js';
import { inTime } from '../lib/in-time.js';
import type { CreatePetOnce } from '../idempotency/create-pet-once.js';
import { otherMethods } from '../http/other-methods.js';
import { assertJsonBody, jsonOf } from '../http/read-body.js';
import { cursorOf } from '../pets/cursor.js';
import { GET_PET_DEPRECATION } from '../pets/get-pet-deprecation.js';
import type { PetsPage, PetsQuery } from '../pets/page.js';
import { parseNewPet } from '../pets/parse-new-pet.js';
import { assertGetPetNotRemoved, petNotFound, type PetsService } from '../pets/pets-service.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { assertNoParameters, parsePetsQuery, searchParametersOf } from './parse-pets-query.js';
import { jsonAnswer, pageAnswer } from './json-answer.js';
import { renderPet } from './render-pet.js';
import { acceptsJson, onlyRoles } from './route-checks.js';
import { sendJson, sendRead } from './send-json.js';

export interface PetsRoutesParts {
  pets: PetsService;
  createPetOnce: CreatePetOnce;
  clock: Clock;
}

/** Specification 4: three operations, each parse, call, render. */
export function addPetsRoutes(router: IRouter, { pets, createPetOnce, clock }: PetsRoutesParts): void {
  const listPets: RequestHandler = async (req, res) => {
    const query = parsePetsQuery(searchParametersOf(req.originalUrl));
    const page = await inTime(pets.list(query));
    const next = nextLink(query, page);
    if (next !== undefined) res.setHeader('Link', next);
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
    const { body, replayed } = await inTime(createPetOnce({ owner, key }, newPet));
    if (replayed) res.setHeader('Idempotency-Replayed', 'true');
    sendJson(res, 201, body);
  };

  const getPet: RequestHandler = async (req, res) => {
    const text = pathOf(req).slice('/v1/pets/'.length);
    const id = parseCanonicalInt64(text);
    assertNoParameters(searchParametersOf(req.originalUrl));
    sendRead(req, res, jsonAnswer(renderPet(await inTime(pets.get(id ?? petNotFound(text))))));
  };

  /** Before anything is asked about the id: what is removed is so for every id. */
  const removeByTheClock: RequestHandler = (_req, _res, next) => {
    assertGetPetNotRemoved(clock);
    next();
  };

  const checks = [onlyRoles('server', 'owner', 'admin'), acceptsJson];
  router
    .route('/v1/pets')
    .get(inOnePass(...checks, listPets))
    .post(inOnePass(...checks, createPet))
    .all(otherMethods('GET, HEAD, POST, OPTIONS'));
  // Not a parameter: Express would decode it, and `%35` is not the canonical 5.
  router
    .route(/^\/v1\/pets\/[^/]+$/)
    .get(inOnePass(announceRemoval, ...checks, removeByTheClock, getPet))
    .all(otherMethods('GET, HEAD, OPTIONS'));
}

/** RFC 8288; relative, because only the client knows under which name it reached us. */
function nextLink({ limit, status }: PetsQuery, { pets, hasMore }: PetsPage): string | undefined {
  const last = pets.at(-1);
  if (!hasMore || last === undefined) return undefined;
  const query = new URLSearchParams({
    limit: String(limit),
    ...(status && { status }),
    after: cursorOf(last.id),
  });
  return `</v1/pets?${query.toString()}>; rel="next"`;
}

const DEPRECATION = `@${GET_PET_DEPRECATION.deprecatedMs / 1000}`;
const SUNSET = new Date(GET_PET_DEPRECATION.sunsetMs).toUTCString();
const SUCCESSOR = '</v1/pets>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"';

/** Deprecation (RFC 9745) and Sunset (RFC 8594), on every answer of the operation. */
const announceRemoval: RequestHandler = (_req, res, next) => {
  res.setHeader('Deprecation', DEPRECATION);
  res.setHeader('Sunset', SUNSET);
  res.setHeader('Link', SUCCESSOR);
  next();
};
