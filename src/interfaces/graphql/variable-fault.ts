import type { GraphQLError } from 'graphql';
import type { FieldFault } from '../../lib/errors.js';

/** How graphql-js begins: `Variable "$input" got invalid value 5 at "input.name"; …`, without `at` for the whole of it. */
const INVALID = /^Variable "\$(\w+)" got invalid value /;
const PLACE = / at "([\w.[\]]+)"$/;
const MISSING =
  /^Variable "\$(\w+)" of (?:required|non-null) type "(\S+)" (?:was not provided|must not be null)\.$/;

/**
 * What is wrong with one part of a variable, as `details.fields` names parts. graphql-js has that in its sentence only,
 * after the whole value, where NaN stands for a number that parse-json.ts could not keep exactly. Undefined for any
 * other error.
 */
export function variableFault({ message, originalError }: GraphQLError): FieldFault | undefined {
  const [, missing, type] = MISSING.exec(message) ?? [];
  if (missing !== undefined)
    return { field: missing, message: `is required: send an ${type} in "variables"` };
  const [, name] = INVALID.exec(message) ?? [];
  const reason = originalError?.message;
  if (name === undefined || reason === undefined || !message.endsWith(`; ${reason}`)) return undefined;
  const [, place] = PLACE.exec(message.slice(0, -`; ${reason}`.length)) ?? [];
  return { field: place ?? name, message: reason };
}
