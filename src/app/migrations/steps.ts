import type { MigrationStep } from '../../platform/mongo/migration-step.js';

/**
 * All migration steps ever released, in order; none so far. Append new steps. A step in the database that is missing here counts as
 * a newer version's.
 */
export const MIGRATION_STEPS: readonly MigrationStep[] = [];
