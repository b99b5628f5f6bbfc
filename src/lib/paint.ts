import { styleText } from 'node:util';

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/**
 * How to color text for a stream: with ANSI sequences on a terminal that has colors, otherwise not at all. Obeys
 * NO_COLOR and FORCE_COLOR (https://no-color.org), as Node does.
 */
export function paintFor(stream: { isTTY?: boolean; hasColors?: () => boolean }): Paint {
  return stream.isTTY === true && stream.hasColors?.() === true ? styleText : (_style, text) => text;
}
