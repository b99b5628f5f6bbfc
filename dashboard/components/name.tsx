/**
 * A name that a person chose, in its own writing direction. Tables show two lines of a long one, and all of it as its
 * title.
 */
export function Name({ children }: { children: string }) {
  return (
    <bdi class="name" title={children}>
      {children}
    </bdi>
  );
}
