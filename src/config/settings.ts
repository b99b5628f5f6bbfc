import { z } from 'zod';

/** A setting that is a whole number in decimal digits. */
export function wholeNumber(minimum: number, maximum: number, fallback: number) {
  return digits(minimum, maximum).default(fallback);
}

/** A port other than 0: a proxy or port mapping in front needs a fixed port. */
export const portNumber = digits(1, 65_535);

export function yesOrNo(fallback: boolean) {
  return z
    .enum(['0', '1', 'true', 'false'], 'must be 1 or 0')
    .transform((text) => text === '1' || text === 'true')
    .default(fallback);
}

/** A setting that is a comma-separated list; empty if unset. */
export function listOf<Entry extends z.ZodType<string, string>>(entry: Entry) {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(entry))
    .default([]);
}

function digits(minimum: number, maximum: number) {
  const expected = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^[0-9]+$/, expected)
    .transform(Number)
    .pipe(z.number().min(minimum, expected).max(maximum, expected));
}
