/**
 * Whether at most `edits` insertions, deletions, substitutions and swaps of adjacent characters turn one text into the
 * other (optimal string alignment). Cheap for few edits: most pairs of texts differ in length or near their beginning.
 */
export function isWithinEdits(from: string, to: string, edits: number): boolean {
  if (Math.abs(from.length - to.length) > edits) return false;
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const [a, b] = [from.slice(same), to.slice(same)];
  if (a === b) return true;
  if (edits === 0) return false;
  return (
    isWithinEdits(a.slice(1), b, edits - 1) ||
    isWithinEdits(a, b.slice(1), edits - 1) ||
    isWithinEdits(a.slice(1), b.slice(1), edits - 1) ||
    (from[same] === to[same + 1] &&
      from[same + 1] === to[same] &&
      isWithinEdits(a.slice(2), b.slice(2), edits - 1))
  );
}
