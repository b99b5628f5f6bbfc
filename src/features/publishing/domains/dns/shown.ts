const MAX_VALUES = 5;
const MAX_LENGTH = 255;

/** A DNS answer for people to read. Anybody can write such an answer, so it is cut to a length and has no invisible characters. */
export function shown(values: readonly string[]): string {
  const texts = values.slice(0, MAX_VALUES).map((value) => {
    const visible = value.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
    return visible.length > MAX_LENGTH ? `${visible.slice(0, MAX_LENGTH)}…` : visible;
  });
  if (values.length > MAX_VALUES) texts.push('…');
  return texts.join(', ');
}
