/**
 * How much of an operation may change within a version of the interface: of a stable one nothing that breaks a client;
 * of a beta one what is announced for 90 days; of an experimental one anything, at any time.
 */
export type Stability = 'stable' | 'beta' | 'experimental';

/** What happens to an operation, or a field, that will be removed. All that is told of it is made of this. */
export interface Deprecation {
  /** Since when it is deprecated (RFC 9745). */
  deprecatedMs: number;
  /** From when on it answers 410 `operation_removed`, by the clock (RFC 8594). */
  sunsetMs: number;
  /** What to do in its place: a sentence. */
  instead: string;
  /** The path of the REST operation that takes its place, below the version's segment. */
  successor?: string;
}

export interface Operation {
  /** The version of the interface that brought it. */
  since: string;
  stability: Stability;
  deprecation?: Deprecation;
}

export type RestOperationId = 'listPets' | 'createPet' | 'getPet';

export interface Operations {
  /** By operationId. */
  rest: Readonly<Record<RestOperationId, Operation>>;
  /** By schema coordinate, `Query.pets`: each root field, and other fields that are not what their parent is. */
  graphql: Readonly<Record<string, Operation>>;
}
