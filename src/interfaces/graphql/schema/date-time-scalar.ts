import { describeValue } from '../../../lib/received.js';
import { describeNode } from '../input-faults.js';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** RFC 3339 section 5.6, with the offset that makes it a point in time; `T` and `Z` in either case. */
// Each part starts with a character that the part before it cannot contain, so no character is read twice.
// eslint-disable-next-line security/detect-unsafe-regex
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** A point in time. Responses are in UTC, to the millisecond. */
export const DateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A point in time in RFC 3339 format, such as 2030-12-05T00:00:00Z. Responses use UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize(value) {
    if (!(value instanceof Date)) throw new GraphQLError('DateTime cannot represent this value');
    return value.toISOString();
  },
  parseValue: (value) =>
    (typeof value === 'string' ? parse(value) : undefined) ?? refuse(describeValue(value)),
  parseLiteral: (node) =>
    (node.kind === Kind.STRING ? parse(node.value) : undefined) ?? refuse(describeNode(node), node),
});

function parse(text: string): Date | undefined {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return undefined;
  const at = new Date(text.toUpperCase());
  const midnight = new Date(`${day}T00:00:00Z`);
  // Date reads 30 February as 2 March.
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists && !Number.isNaN(at.getTime()) ? at : undefined;
}

function refuse(received: string, node?: ValueNode): never {
  throw new GraphQLError(
    `must be a point in time in RFC 3339 format, such as 2030-12-05T00:00:00Z; received ${received}`,
    node && { nodes: node },
  );
}
