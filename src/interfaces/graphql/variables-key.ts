import type { OperationDefinitionNode } from 'graphql';
import type { JsonObject, JsonValue } from '../../lib/parse-json.js';

/** Returns the same text for the same values of the operation's own variables, and a different text for others. */
export function variablesKeyOf(operation: OperationDefinitionNode, variables: JsonObject): string {
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) return '';
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  // A missing variable differs from null: it has its default.
  const values = names.map((name) => (Object.hasOwn(variables, name) ? [variables[name]] : []));
  return JSON.stringify(values, exactly);
}

/** JSON has no integers past 2^53. The prefixes keep integers and strings apart. */
function exactly(_name: string, value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return `n${value}`;
  return typeof value === 'string' ? `s${value}` : value;
}
