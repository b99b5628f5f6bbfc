import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';

/** What the charge, the bounds of a response and the sharing of reads need to know of a field. */
export interface FieldFacts {
  /** Set for each list of objects that no argument limits, and for each expensive field. */
  weight?: FieldWeight;
  /** For a root field: whether it reads or creates pets. A dashboard session charges such fields to its key. */
  isAboutPets?: true;
  /** For a root field: whether it changes nothing and its value is the same for every caller. */
  isShared?: true;
  /** Whether the value depends on the caller's project or role. */
  variesByCaller?: true;
  /** The arguments that can make the value depend on the caller's project. */
  variesWith?: readonly string[];
  /** For a root field: whether a request for it alone may have an Idempotency-Key. */
  acceptsIdempotencyKey?: true;
  /** Set if the field will be removed. */
  deprecated?: DeprecatedField;
}

export interface FieldWeight {
  /**
   * Maximum number of items of a list, or for another field the number of items that it counts as. `days`: the days of
   * the range that its arguments `from` and `to` give, or those of the field that it is below.
   */
  mostItems: number | 'days';
  /** True if the items are read separately for their parent; false if they are a part of it. */
  areNodes: boolean;
  /** As how many nodes an item counts; one unless set. */
  nodesOfEach?: number;
}

/** A requested field that will be removed, as listed in `extensions.deprecations` of the response. */
export interface DeprecatedField {
  /** The schema coordinate: `Query.pet`. */
  field: string;
  reason: string;
  /** RFC 3339. */
  deprecatedAt: string;
  sunset: string;
}

/** A list that is a part of its parent and always short: the plans, the windows of a quota. */
export const SHORT_LIST: FieldFacts = { weight: { mostItems: 5, areNodes: false } };

const NONE: FieldFacts = {};

/** Decorates a field with facts. They become a part of its `extensions` in the schema, which clients do not see. */
export const Facts = (facts: FieldFacts) => Extensions({ facts });

export function factsOf(field: GraphQLField<unknown, unknown> | undefined): FieldFacts {
  return (field?.extensions['facts'] as FieldFacts | undefined) ?? NONE;
}
