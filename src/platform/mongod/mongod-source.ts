/** A place on the network that has a mongod. */
export interface MongodSource {
  /** As shown to people in progress lines and in the final error. */
  readonly name: string;
  readonly version: string;

  /**
   * Puts a mongod somewhere in `folder` (empty, private to this call) and resolves with its path.
   * `path` has the form of PATH, for a source that needs another program.
   * @throws Error whose message is a reason fit to show to a person.
   */
  fetch(into: { folder: string; path: string }): Promise<string>;
}
