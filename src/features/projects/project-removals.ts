/** A deleted project, of which something may still be stored. */
export interface Removal {
  projectId: string;
  deletedAt: Date;
}

/** Which deleted projects are still to be removed, by whichever process gets to it. */
export interface ProjectRemovals {
  /** One that is due; nobody else is given it for `leaseMs`. */
  claim(now: Date, leaseMs: number): Promise<Removal | undefined>;
  /** Until then there is nothing to do. */
  postpone(projectId: string, until: Date): Promise<void>;
  /** Removes its own record. Its slug stays given. */
  finish(projectId: string): Promise<void>;
}
