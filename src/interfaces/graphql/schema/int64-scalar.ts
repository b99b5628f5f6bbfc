import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { describeValue } from '../../../lib/received.js';
import { describeNode } from '../input-faults.js';
import { isInt64, parseCanonicalInt64, parseJsonInt64, toInt64 } from '../../../lib/int64.js';

const RANGE = 'an integer from -2^63 to 2^63-1';

/**
 * int64 over GraphQL. JavaScript clients read JSON numbers as doubles, so responses contain decimal strings. Input may
 * be an integer literal, a JSON number or a decimal string, each read exactly (parse-json.ts keeps the digits).
 */
export const Int64Scalar = new GraphQLScalarType<bigint, string>({
  name: 'Int64',
  description: `${RANGE[0]?.toUpperCase()}${RANGE.slice(1)}, exactly. Responses contain a decimal string. Input can be an integer literal, a JSON number or a decimal string.`,
  specifiedByURL: 'https://spec.openapis.org/registry/format/int64',
  serialize(value) {
    if (typeof value !== 'bigint' || !isInt64(value))
      throw new GraphQLError('Int64 cannot represent this value');
    return value.toString();
  },
  parseValue: (value) =>
    (typeof value === 'string' ? parseCanonicalInt64(value) : toInt64(value)) ?? refuse(describeValue(value)),
  parseLiteral: (node) => parseNode(node) ?? refuse(describeNode(node), node),
});

function parseNode(node: ValueNode): bigint | undefined {
  if (node.kind === Kind.INT) return parseJsonInt64(node.value);
  return node.kind === Kind.STRING ? parseCanonicalInt64(node.value) : undefined;
}

function refuse(received: string, node?: ValueNode): never {
  throw new GraphQLError(`must be ${RANGE}; received ${received}`, node && { nodes: node });
}
