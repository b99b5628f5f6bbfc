const MAX_SHOWN = 50;

/**
 * Names a JSON value in an error message by its type, and a short value itself: `the string "5"`, `an object`. A number
 * that is not finite stands for one that could not be kept exactly (see parse-json.ts).
 */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(cut(value))}`;
    case 'number':
      return Number.isFinite(value) ? `the number ${value}` : 'a number out of range';
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return `the boolean ${value}`;
    default:
      if (value === null || value === undefined) return 'null';
      return Array.isArray(value) ? 'a list' : 'an object';
  }
}

/** Returns the text, or its start if it is too long for an error message. */
export function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
