import { isWithinEdits } from '../lib/within-edits.js';

/** The names of variables that have a value. */
export interface GivenNames {
  /** Includes the names in `.env`. */
  environment: readonly string[];
  file: readonly string[];
}

/** A name that is not a setting, and that probably should be one. */
export interface UnknownSetting {
  name: string;
  isInFile: boolean;
  /** The setting that it resembles. */
  meant: string | undefined;
}

/** Names besides settings that `.env` may contain: for Compose, OpenTelemetry's SDK, Node and the system. */
const OF_OTHERS = /^(?:PATH|TZ|XDG_CACHE_HOME|(?:OTEL|NODE|COMPOSE|DOCKER)_\w+)$/;
const SHORTEST = 6;
const LONG = 11;

/**
 * Finds names that are not settings. An environment contains the names of many other programs, so a name there counts
 * only if it closely resembles a setting that has no value. `.env` belongs to the gateway, so every unknown name there
 * counts. Names with a suggestion come first.
 */
export function findUnknownSettings(
  known: readonly string[],
  { environment, file }: GivenNames,
): UnknownSetting[] {
  const given = new Set(environment);
  const unknown = [...new Set([...environment, ...file])]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      name,
      isInFile: file.includes(name),
      meant: known.find((setting) => !given.has(setting) && isAllBut(setting, name)),
    }));
  return [
    ...unknown.filter(({ meant }) => meant !== undefined),
    ...unknown.filter(
      ({ meant, isInFile, name }) => meant === undefined && isInFile && !OF_OTHERS.test(name),
    ),
  ];
}

export function describeUnknown({ name, isInFile, meant }: UnknownSetting): string {
  const place = isInFile ? `${name} in .env` : name;
  return meant === undefined
    ? `${place} is not a setting. Remove it, or see .env.example for all settings.`
    : `${place} is not a setting. Did you mean ${meant}?`;
}

/** Allows fewer differences for shorter names, because more names resemble them. */
function isAllBut(setting: string, name: string): boolean {
  return setting.length >= SHORTEST && isWithinEdits(setting, name, setting.length >= LONG ? 2 : 1);
}
