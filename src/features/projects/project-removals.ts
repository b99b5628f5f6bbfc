/** What becomes of the pets of a deleted project: they are removed, or stay in the catalogue and belong to no project. */
export const PETS_OF_DELETED = ['delete', 'handOver'] as const;
export type PetsOfDeleted = (typeof PETS_OF_DELETED)[number];

/** A deleted project that may still have stored data. */
export interface Removal {
  projectId: string;
  deletedAt: Date;
  pets: PetsOfDeleted;
}

/** The deleted projects whose removal has not finished. Any process can work on them. */
export interface ProjectRemovals {
  /** Claims a due removal; no other process gets it for `leaseMs`. */
  claim(now: Date, leaseMs: number): Promise<Removal | undefined>;
  /** Makes the removal due again at `until`. */
  postpone(projectId: string, until: Date): Promise<void>;
  /** Removes the project's own record. Its slug stays assigned. */
  finish(projectId: string): Promise<void>;
}
