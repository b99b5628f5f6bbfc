import { SETTINGS } from '../../config/config.js';
import { editDistance } from '../../lib/edit-distance.js';
import { OTLP_SETTINGS } from '../../config/otlp-settings.js';
import { ok, warning, type Finding } from './finding.js';

/** The names of variables that have a value. */
export interface GivenNames {
  /** Includes the names in `.env`. */
  environment: readonly string[];
  file: readonly string[];
}

const CHECK = 'settings';
const KNOWN = [...SETTINGS, ...OTLP_SETTINGS];
/** Names besides settings that `.env` may contain: for docker-compose.yml, OpenTelemetry's SDK, Node and the system. */
const OF_OTHERS =
  /^(?:(?:MONGO|REDIS|GRAFANA)_PASSWORD|STAGING_ADMIN_API_KEY|PATH|TZ|XDG_CACHE_HOME|(?:OTEL|NODE|COMPOSE|DOCKER)_\w+)$/;
const SHORTEST = 6;
const LONG = 11;

/**
 * Warns about names that are not settings, which a start ignores. An environment contains the names of many other
 * programs, so the check reports a name there only if it closely resembles a setting that has no value. `.env` belongs
 * to the gateway, so the check reports every unknown name there.
 */
export function checkMistakenNames({ environment, file }: GivenNames): Finding[] {
  const given = new Set(environment);
  const unknown = environment.filter((name) => !KNOWN.includes(name));
  const meant = new Map(
    unknown.flatMap((name) => {
      const setting = KNOWN.find((known) => !given.has(known) && isAllBut(known, name));
      return setting === undefined ? [] : [[name, setting] as const];
    }),
  );
  const findings = [
    ...Array.from(meant, ([name, setting]) =>
      warning(CHECK, `${name} is no setting`, `If ${setting} is meant, write it so.`),
    ),
    ...file
      .filter((name) => !KNOWN.includes(name) && !meant.has(name) && !OF_OTHERS.test(name))
      .map((name) => warning(CHECK, `${name} in .env is no setting`, '.env.example lists all there are.')),
  ];
  return findings.length > 0 ? findings : [ok(CHECK, 'no name looks mistyped')];
}

/** Allows fewer differences for shorter names, because more names resemble them. */
function isAllBut(setting: string, name: string): boolean {
  return setting.length >= SHORTEST && editDistance(setting, name) <= (setting.length >= LONG ? 2 : 1);
}
