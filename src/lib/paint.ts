import { styleText } from 'node:util';

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/**
 * How to color text for a stream: with ANSI sequences on a terminal that has colors, otherwise not at all. Obeys
 * NO_COLOR and FORCE_COLOR (https://no-color.org), as Node does.
 */
export function paintFor(stream: { isTTY?: boolean; hasColors?: () => boolean }): Paint {
  if (stream.isTTY !== true || stream.hasColors?.() !== true) return (_style, text) => text;
  // Otherwise styleText looks at standard output, whatever the stream is.
  return (style, text) => styleText(style, text, { validateStream: false });
}
