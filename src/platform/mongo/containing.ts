/** Matches texts that contain this one, in any case; none of its characters means anything to the expression. */
export function containing(text: string): { $regex: string; $options: 'i' } {
  return { $regex: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' };
}
