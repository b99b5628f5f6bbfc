/**
 * How much an operation may change within a version of the interface. A stable operation never breaks a client. A
 * change of a beta operation is announced 90 days ahead. An experimental operation may change at any time.
 */
export type Stability = 'stable' | 'beta' | 'experimental';

/** The removal of an operation or a field. Headers, schemas and messages about it are all derived from this object. */
export interface Deprecation {
  /** Start of the deprecation (RFC 9745), milliseconds since the epoch. */
  deprecatedMs: number;
  /**
   * From this time on, by the gateway's clock, the operation answers 410 `operation_removed` (RFC 8594). Milliseconds
   * since the epoch.
   */
  sunsetMs: number;
  /** A sentence that names the replacement. */
  instead: string;
  /** Path of the REST operation that replaces it, below the version's segment. */
  successor?: string;
}

export interface Operation {
  /** The version of the interface that introduced the operation. */
  since: string;
  stability: Stability;
  deprecation?: Deprecation;
}

export const STABLE: Operation = { since: '1.0.0', stability: 'stable' };
export const BETA: Operation = { since: '1.0.0', stability: 'beta' };
export const EXPERIMENTAL: Operation = { since: '1.0.0', stability: 'experimental' };
