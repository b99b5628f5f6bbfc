import type { FinishedRequest } from '../../http/steps/finished-request.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';

/** The paths of operations, as in schema/openapi.yaml. */
const ROUTES: ReadonlyMap<string, string> = new Map([
  ['listPets', `${BASE_PATH}/pets`],
  ['createPet', `${BASE_PATH}/pets`],
  ['getPet', `${BASE_PATH}/pets/{petId}`],
  ['uploadDeploy', '/deploys/{deployId}/archive'],
]);

/** `http.route`; undefined if there is no operation at the path, as for files of sites. */
export function routeOf({
  interface: apiInterface,
  operation,
}: Pick<FinishedRequest, 'interface' | 'operation'>): string | undefined {
  return apiInterface === 'graphql' ? '/graphql' : ROUTES.get(operation);
}

/** The methods that the conventions know. Clients may invent others. */
const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

export function methodOf({ method }: { method: string }): string {
  return METHODS.has(method) ? method : '_OTHER';
}
