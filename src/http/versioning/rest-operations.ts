import type { ApiKeyRole } from '../../features/keys/api-key.js';
import { BASE_PATH } from './api-version.js';
import { BETA, STABLE, type Deprecation, type Operation } from './operation.js';

/**
 * One operation of the REST interface. `Allow`, OPTIONS, the methods of CORS, the names in usage, metrics and log lines,
 * and `http.route` are derived from this record. So are the routes of `restRoutes`, their checks and their charge. The
 * two uploads are steps of their own, before bodies are read: they take path, roles, media types and cost from here.
 */
export interface RestOperation extends Operation {
  /** GET serves HEAD too (RFC 9110 section 9.3.2). */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in schema/openapi.yaml: each `{parameter}` stands for one segment of any text that is not empty. */
  path: string;
  /** The roles of the keys that may use it. */
  roles: readonly ApiKeyRole[];
  /** The media types of the request's body, the usual one first; none if it has no body. */
  accepts: readonly string[];
  /** Units of the key's quota, charged whatever the response is. */
  cost: number;
}

export type RestOperationId =
  'listPets' | 'createPet' | 'getPet' | 'updatePet' | 'deletePet' | 'uploadDeploy' | 'uploadPetsImport';

/** When getPet ends, and the same operation over GraphQL. */
export const GET_PET_ENDS: Deprecation = {
  // The date of the interface's version 1.0.0. The gateway's release date is in CHANGELOG.md.
  deprecatedMs: Date.parse('2026-11-21T00:00:00Z'),
  sunsetMs: Date.parse('2030-12-05T00:00:00Z'),
  instead: `Use GET ${BASE_PATH}/pets with a status filter, or petsByIds over GraphQL.`,
  successor: '/pets',
};

const PETS = { roles: ['server', 'staff', 'owner', 'admin'], accepts: [], cost: 1, ...STABLE } as const;

/** By operationId. The operations below the version's path are those of schema/openapi.yaml. */
export const REST_OPERATIONS: Readonly<Record<RestOperationId, RestOperation>> = {
  listPets: { ...PETS, method: 'GET', path: `${BASE_PATH}/pets` },
  createPet: { ...PETS, method: 'POST', path: `${BASE_PATH}/pets`, accepts: ['application/json'] },
  getPet: { ...PETS, method: 'GET', path: `${BASE_PATH}/pets/{petId}`, deprecation: GET_PET_ENDS },
  // The specification shows no operation that changes or removes an animal. The removal of getPet leaves these two.
  updatePet: {
    ...PETS,
    ...BETA,
    method: 'PATCH',
    path: `${BASE_PATH}/pets/{petId}`,
    accepts: ['application/merge-patch+json', 'application/json'],
  },
  deletePet: { ...PETS, ...BETA, method: 'DELETE', path: `${BASE_PATH}/pets/{petId}` },
  // Sites and their deploys may still change (docs/versioning.md).
  uploadDeploy: {
    ...BETA,
    method: 'PUT',
    path: '/deploys/{deployId}/archive',
    roles: ['owner', 'admin'],
    accepts: ['application/gzip', 'application/x-gzip'],
    cost: 1,
  },
  uploadPetsImport: {
    ...BETA,
    method: 'PUT',
    path: '/imports/{importId}/file',
    roles: ['staff', 'owner', 'admin'],
    accepts: ['text/csv', 'application/x-ndjson'],
    // And 1 more for each further 100 lines, or animals that are compared, that begin.
    cost: 1,
  },
};

/** What there is at a path. */
export interface RestPath {
  /** As the records of its operations name it. */
  path: string;
  /** By the method of a request. */
  operations: ReadonlyMap<string, RestOperationId>;
  /** The value of `Allow`. */
  allow: string;
  /** The value of `Accept-Patch` (RFC 5789): the media types of a PATCH. Undefined without PATCH. */
  acceptPatch: string | undefined;
}

/** A path with the texts of its parameters, in order and as the client sent them: `%35` stays `%35`. */
export interface FoundPath extends RestPath {
  parameters: readonly string[];
}

const PATHS = Array.from(new Set(Object.values(REST_OPERATIONS).map(({ path }) => path)));
const PATHS_WITHOUT_PARAMETERS: ReadonlyMap<string, FoundPath> = new Map(
  PATHS.filter((path) => !path.includes('{')).map((path) => [
    path,
    { ...describePath(path), parameters: [] },
  ]),
);
const PATHS_WITH_PARAMETERS = PATHS.filter((path) => path.includes('{')).map((path) => ({
  there: describePath(path),
  /** What is before, between and after its parameters. */
  literals: path.split(/\{\w+\}/),
}));

function describePath(path: string): RestPath {
  const there = Object.entries(REST_OPERATIONS).filter(([, operation]) => operation.path === path);
  const operations = new Map<string, RestOperationId>();
  for (const [id, { method }] of there as [RestOperationId, RestOperation][])
    for (const served of servedBy(method)) operations.set(served, id);
  const patch = operations.get('PATCH');
  return {
    path,
    operations,
    allow: [...operations.keys(), 'OPTIONS'].join(', '),
    acceptPatch: patch && REST_OPERATIONS[patch].accepts.join(', '),
  };
}

function servedBy(method: RestOperation['method']): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Undefined if no operation is at the path, which is without its query. */
export function findRestPath(path: string): FoundPath | undefined {
  const exact = PATHS_WITHOUT_PARAMETERS.get(path);
  if (exact !== undefined) return exact;
  for (const { there, literals } of PATHS_WITH_PARAMETERS) {
    const parameters = parametersIn(path, literals);
    if (parameters !== undefined) return found(there, parameters);
  }
  return undefined;
}

function parametersIn(path: string, [first = '', ...others]: readonly string[]): string[] | undefined {
  if (!path.startsWith(first)) return undefined;
  const parameters: string[] = [];
  let from = first.length;
  for (const literal of others) {
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash;
    if (end === from || !path.startsWith(literal, end)) return undefined;
    parameters.push(path.slice(from, end));
    from = end + literal.length;
  }
  return from === path.length ? parameters : undefined;
}

/** Each field by name: a spread took ten times as long, for each request. */
function found({ path, operations, allow, acceptPatch }: RestPath, parameters: readonly string[]): FoundPath {
  return { path, operations, allow, acceptPatch, parameters };
}

/** What pages of other origins may send (Fetch standard, 4.8): the versioned interface, and so GraphQL's GET and POST. */
export const CORS_METHODS = Array.from(
  new Set(
    Object.values(REST_OPERATIONS)
      .filter(({ path }) => path.startsWith(`${BASE_PATH}/`))
      .flatMap(({ method }) => servedBy(method)),
  ),
).join(', ');
