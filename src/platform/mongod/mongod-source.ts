/** A network source of mongod. */
export interface MongodSource {
  /** Shown in progress lines and in the final error. */
  readonly name: string;
  readonly version: string;

  /**
   * Puts a mongod somewhere in `folder` (empty, private to this call) and resolves with its path.
   * `path` has the format of PATH, for a source that needs another program.
   * @throws Error whose message can be shown to people
   */
  fetch(into: { folder: string; path: string }): Promise<string>;
}
