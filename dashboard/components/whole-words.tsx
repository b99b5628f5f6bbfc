/** Text whose host names begin a new line if this one has no room for them: browsers would break them at a hyphen. */
export function WholeWords({ children }: { children: string }) {
  return (
    <>
      {children
        .split(' ')
        .flatMap((word, at) => [
          at > 0 && ' ',
          word.includes('-') && word.includes('.') ? <span class="whole">{word}</span> : word,
        ])}
    </>
  );
}
