import type { MigrationStep } from '../../platform/mongo/migration-step.js';
import { giveSlugs } from './give-slugs.js';

/** All that ever were, in their order. New ones go to the end; one that is not here counts as a newer version's. */
export const MIGRATION_STEPS: readonly MigrationStep[] = [giveSlugs];
