/** Ctrl-C stopped a command in an orderly way. The message says what is done and how to continue. Exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
