const MAX_NAMED = 5;

/** How many things to look for: those that `nameSome` names, and one that shows that there are more. */
export const ENOUGH_TO_NAME = MAX_NAMED + 1;

/** A list for a message: the first five names, and `…` if there are more. */
export function nameSome(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED);
  return (names.length > MAX_NAMED ? [...named, '…'] : named).join(', ');
}
