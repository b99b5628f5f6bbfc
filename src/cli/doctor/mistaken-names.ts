import { SETTINGS } from '../../config/config.js';
import { editDistance } from '../../lib/edit-distance.js';
import { OTLP_SETTINGS } from '../../config/otlp-settings.js';
import { ok, warning, type Finding } from './finding.js';

/** The names of what has a value. */
export interface GivenNames {
  /** With those of `.env`. */
  environment: readonly string[];
  file: readonly string[];
}

const CHECK = 'settings';
const KNOWN = [...SETTINGS, ...OTLP_SETTINGS];
/** What may stand in `.env` besides: for docker-compose.yml, OpenTelemetry's SDK, Node and the system. */
const OF_OTHERS =
  /^(?:(?:MONGO|REDIS|GRAFANA)_PASSWORD|STAGING_ADMIN_API_KEY|PATH|TZ|XDG_CACHE_HOME|(?:OTEL|NODE|COMPOSE|DOCKER)_\w+)$/;
const SHORTEST = 6;
const LONG = 11;

/**
 * Names that are no setting: the start passes over them. An environment is full of other programs' names, so there only
 * what is all but a setting counts, and only while that one has no value; `.env` is the gateway's.
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

/** The shorter a name, the more others are near it. */
function isAllBut(setting: string, name: string): boolean {
  return setting.length >= SHORTEST && editDistance(setting, name) <= (setting.length >= LONG ? 2 : 1);
}
