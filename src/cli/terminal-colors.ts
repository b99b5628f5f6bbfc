import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

const OF_STATE: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['active', 'green'],
  ['ready', 'green'],
  ['yes', 'green'],
  ['action_required', 'yellow'],
  ['awaiting_upload', 'yellow'],
  ['disabled', 'yellow'],
  ['suspended', 'yellow'],
  ['deleted', 'red'],
  ['expired', 'red'],
  ['failed', 'red'],
  ['revoked', 'red'],
]);
const STATE_FIELDS: readonly string[] = ['state', 'status', 'live', 'primary'];

/** Styles a text for a terminal with colors. Elsewhere returns the text as it is. */
export function paint(format: Format, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return hasColors(stream) ? styleText(format, text, { validateStream: false }) : text;
}

/** FORCE_COLOR and NO_COLOR (no-color.org) have precedence over what the stream is. */
function hasColors({ isTTY }: NodeJS.WriteStream): boolean {
  // eslint-disable-next-line no-restricted-properties -- conventions of terminals, not settings of the gateway
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY && TERM !== 'dumb' && (NO_COLOR ?? '') === '';
}

/** Styles the value of a field that says whether something works. */
export function paintState(field: string, value: string): string {
  const format = STATE_FIELDS.includes(field) ? OF_STATE.get(value) : undefined;
  return format === undefined ? value : paint(format, value);
}
