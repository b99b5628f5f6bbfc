const MAX_VALUES = 5;
const MAX_LENGTH = 255;

/**
 * Formats a DNS answer for display. Anyone can publish such records, so values are cut and invisible characters
 * replaced.
 */
export function shown(values: readonly string[]): string {
  const texts = values.slice(0, MAX_VALUES).map((value) => {
    const visible = value.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
    return visible.length > MAX_LENGTH ? `${visible.slice(0, MAX_LENGTH)}…` : visible;
  });
  if (values.length > MAX_VALUES) texts.push('…');
  return texts.join(', ');
}
