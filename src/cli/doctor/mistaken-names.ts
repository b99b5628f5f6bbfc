import type { UnknownSetting } from '../../config/unknown-settings.js';
import { ok, warning, type Finding } from './finding.js';

const CHECK = 'settings';

/** Warns about names that are not settings, which a start ignores. */
export function checkMistakenNames(unknown: readonly UnknownSetting[]): Finding[] {
  if (unknown.length === 0) return [ok(CHECK, 'no name looks mistyped')];
  return unknown.map(({ name, isInFile, meant }) =>
    warning(
      CHECK,
      `${isInFile ? `${name} in .env` : name} is not a setting`,
      meant === undefined ? 'Remove it, or see .env.example for all settings.' : `Did you mean ${meant}?`,
    ),
  );
}
