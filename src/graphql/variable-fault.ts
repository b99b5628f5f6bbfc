import type { GraphQLError } from 'graphql';
import type { FieldFault } from '../lib/errors.js';

/** How graphql-js begins: `Variable "$input" got invalid value 5 at "input.name"; …`, without `at` for the whole of it. */
const VARIABLE = /^Variable "\$(\w+)" got invalid value /;
const PLACE = / at "([\w.[\]]+)"$/;

/**
 * What is wrong with one part of a variable, as `details.fields` names parts. graphql-js has that in its sentence only,
 * which ends with the reason. Undefined for any other error.
 */
export function variableFault({ message, originalError }: GraphQLError): FieldFault | undefined {
  const [, name] = VARIABLE.exec(message) ?? [];
  const reason = originalError?.message;
  if (name === undefined || reason === undefined || !message.endsWith(`; ${reason}`)) return undefined;
  const [, place] = PLACE.exec(message.slice(0, -`; ${reason}`.length)) ?? [];
  return { field: place ?? name, message: reason };
}
