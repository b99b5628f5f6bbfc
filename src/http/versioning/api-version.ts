/**
 * Specification 9: the version of the API, REST and GraphQL. It is not that of the package: a release of the gateway
 * that mends a fault leaves the interface as it was, and tells its clients nothing new.
 */
export const API_VERSION = '1.0.0';

/** The path segment of the version: what clients were promised holds as long as its major number stays. */
export const BASE_PATH = `/v${API_VERSION.slice(0, API_VERSION.indexOf('.'))}`;
