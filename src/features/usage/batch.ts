/** Identifies counts to add exactly once. */
export interface Batch {
  /** The process that counted. */
  writer: string;
  /** Increases with each batch of a writer. */
  number: number;
}
