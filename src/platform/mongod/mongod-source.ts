/** How far a download is. */
export interface Download {
  bytes: number;
  totalBytes: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** A network source of mongod. */
export interface MongodSource {
  /** Shown in progress lines and in the final error. */
  readonly name: string;
  readonly version: string;

  /**
   * Puts a mongod somewhere in `folder` (empty, private to this call) and resolves with its path.
   * `path` has the format of PATH, for a source that needs another program. Calls `onDownload` several times a second
   * while it downloads.
   * @throws Error whose message can be shown to people
   */
  fetch(into: { folder: string; path: string; onDownload: (download: Download) => void }): Promise<string>;
}
