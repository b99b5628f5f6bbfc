/** A filter for strings that contain `text`, ignoring case. Escapes all special characters of `text`. */
export function containing(text: string): { $regex: string; $options: 'i' } {
  return { $regex: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' };
}
