import type { MigrationStep } from '../mongo/migration-step.js';
import { giveSlugs } from './give-slugs.js';

/** All that ever were, in their order. New ones go to the end. */
export const MIGRATION_STEPS: readonly MigrationStep[] = [giveSlugs];
