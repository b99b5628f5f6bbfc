/**
 * The version of the API, REST and GraphQL. The package has its own version: a gateway release that fixes a bug leaves
 * the interface as it was, so its clients see no new version.
 */
export const API_VERSION = '1.0.0';

/** The path segment of the API version. Its contract holds for as long as the major version stays the same. */
export const BASE_PATH = `/v${API_VERSION.slice(0, API_VERSION.indexOf('.'))}`;
