import type { FinishedRequest } from '../../http/steps/finished-request.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';

/** The paths of operations, as schema/openapi.yaml has them. */
const ROUTES: ReadonlyMap<string, string> = new Map([
  ['listPets', `${BASE_PATH}/pets`],
  ['createPet', `${BASE_PATH}/pets`],
  ['getPet', `${BASE_PATH}/pets/{petId}`],
  ['uploadDeploy', '/deploys/{deployId}/archive'],
]);

/** `http.route`: undefined for what no operation is at, such as the files of sites. */
export function routeOf({
  interface: apiInterface,
  operation,
}: Pick<FinishedRequest, 'interface' | 'operation'>): string | undefined {
  return apiInterface === 'graphql' ? '/graphql' : ROUTES.get(operation);
}

/** Those that the conventions know; clients may make up others. */
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
