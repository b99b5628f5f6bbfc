/** Undefined: no traces are exported, and OpenTelemetry is not loaded. */
export type OtlpSettings = { timeoutMs: number } | undefined;

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
const TIMEOUTS = ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'] as const;
const PROTOCOL = 'http/protobuf';
/** The variables of the standard that this module reads. */
export const OTLP_SETTINGS: readonly string[] = [...ENDPOINTS, ...PROTOCOLS, ...TIMEOUTS];
/** Milliseconds. The standard has 10 s, but a shutdown waits for the last export. */
const TIMEOUT_MS = 3000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables of the standard that are needed before the SDK is loaded. The SDK reads all others itself:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @param env without empty values
 */
export function otlpSettings(env: Environment): OtlpSettings {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const exporters = env['OTEL_TRACES_EXPORTER']?.split(',').map((name) => name.trim());
  if (exporters?.includes('otlp') === false) return undefined;
  if (firstOf(env, ENDPOINTS) === undefined) return undefined;
  const timeoutMs = Number(firstOf(env, TIMEOUTS)?.value);
  return { timeoutMs: timeoutMs > 0 ? timeoutMs : TIMEOUT_MS };
}

/** Faults that would make every export fail. The messages do not repeat values: a URL may contain a password. */
export function otlpFaults(env: Environment): string[] {
  if (otlpSettings(env) === undefined) return [];
  const faults: string[] = [];
  const protocol = firstOf(env, PROTOCOLS);
  if (protocol !== undefined && protocol.value !== PROTOCOL)
    faults.push(`${protocol.name} must be ${PROTOCOL}, the only protocol that the gateway supports`);
  for (const name of ENDPOINTS) {
    const url = env[name];
    if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
      faults.push(`${name} must be an http:// or https:// URL, such as http://127.0.0.1:4318`);
  }
  return faults;
}

function firstOf(env: Environment, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = env[name];
    if (value !== undefined) return { name, value };
  }
  return undefined;
}
