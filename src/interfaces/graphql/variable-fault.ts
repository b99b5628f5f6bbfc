import type { GraphQLError } from 'graphql';
import type { FieldFault } from '../../lib/errors.js';

/**
 * The start of a message of graphql-js: `Variable "$input" got invalid value 5 at "input.name"; …`. `at` is missing if
 * the fault is in the whole value.
 */
const INVALID = /^Variable "\$(\w+)" got invalid value /;
const PLACE = / at "([\w.[\]]+)"$/;
const MISSING =
  /^Variable "\$(\w+)" of (?:required|non-null) type "(\S+)" (?:was not provided|must not be null)\.$/;

/**
 * Returns the fault in one part of a variable, named in the form that `details.fields` uses, or undefined for any other
 * error. graphql-js names the part only in its message, after the whole value, where NaN stands for a number that
 * parse-json.ts could not keep exactly.
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
