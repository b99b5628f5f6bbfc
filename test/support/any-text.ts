import fc from 'fast-check';

/** Of any code point, as fast-check's own unit `binary`, which takes a second for its table of a million of them. */
const anyCharacter = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Any text, and often enough one that means something to JavaScript: `__proto__`, `toString`. */
export function anyText(constraints: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ ...constraints, unit: anyCharacter }), fc.string(constraints));
}
