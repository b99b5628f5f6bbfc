import { accessSync, constants } from 'node:fs';
import { isIP, SocketAddress } from 'node:net';
import { z } from 'zod';
import { LETS_ENCRYPT } from '../lib/lets-encrypt.js';
import { parseEncryptionKeys, type EncryptionKey } from '../lib/encryption-keys.js';
import { isDnsServer } from './dns-server.js';
import { listOf, portNumber, wholeNumber, yesOrNo } from './settings.js';
import { DAY_MS } from '../lib/clock.js';

/** The settings of customers' domains and their HTTPS. .env.example describes each of them. */
export const domainSettings = {
  HTTP_PORT: portNumber.optional(),
  HTTPS_PORT: portNumber.optional(),
  HTTP2: yesOrNo(true),
  PUBLIC_HTTP_PORT: portNumber.optional(),
  PUBLIC_HTTPS_PORT: portNumber.optional(),
  KEY_ENCRYPTION_KEYS: z.string().transform(readEncryptionKeys).default([]),
  ACME_DIRECTORY_URL: z
    .string()
    .transform((text) => LETS_ENCRYPT[text] ?? text)
    .refine(isHttpsUrl, 'must be letsencrypt, letsencrypt-staging or an https:// address')
    .optional(),
  ACME_PROFILE: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be the name of a profile of the certificate authority')
    .optional(),
  ACME_CONTACT: listOf(
    z.string().regex(/^[^\s@:,]+@[^\s@:,]+$/, 'must be e-mail addresses, separated by commas'),
  ),
  ACME_CA_FILE: readableFile().optional(),
  DNS_SERVERS: listOf(
    z.string().refine(isDnsServer, 'must be IP addresses, each with an optional port, separated by commas'),
  ),
  DOMAIN_GRACE_DAYS: wholeNumber(0, 3650, 7),
  PLATFORM_ADDRESSES: listOf(
    z.string().refine((text) => isIP(text) !== 0, 'must be IP addresses without ports, separated by commas'),
  ),
  PLATFORM_TLS_CERT_FILE: readableFile().optional(),
  PLATFORM_TLS_KEY_FILE: readableFile().optional(),
  PLATFORM_CERTIFICATES_PER_WEEK: wholeNumber(0, 10_000, 40),
  HSTS_SECONDS: wholeNumber(0, 100_000_000, 0),
};

type Settings = z.infer<z.ZodObject<typeof domainSettings>> & { PLATFORM_HOST?: string | undefined };

/** Maps the settings to the names that the code uses. */
export function domainConfig(settings: Settings) {
  const { ACME_DIRECTORY_URL, PLATFORM_TLS_CERT_FILE, PLATFORM_TLS_KEY_FILE } = settings;
  return {
    /** The ports for visitors' HTTP and HTTPS, beside PORT; undefined: off. */
    httpPort: settings.HTTP_PORT,
    httpsPort: settings.HTTPS_PORT,
    /** Whether HTTPS offers HTTP/2. */
    http2: settings.HTTP2,
    /** The same ports as visitors see them. They differ behind a port mapping. */
    publicHttpPort: settings.PUBLIC_HTTP_PORT ?? settings.HTTP_PORT,
    publicHttpsPort: settings.PUBLIC_HTTPS_PORT ?? settings.HTTPS_PORT,
    /** The first key encrypts, all keys decrypt. May be empty. */
    encryptionKeys: settings.KEY_ENCRYPTION_KEYS,
    /** The certificate authority; undefined: no certificates are requested. */
    acme:
      ACME_DIRECTORY_URL === undefined
        ? undefined
        : {
            directoryUrl: ACME_DIRECTORY_URL,
            profile: settings.ACME_PROFILE,
            /** As `mailto:` URLs. */
            contact: settings.ACME_CONTACT.map((address) => `mailto:${address}`),
            /** The PEM file of the root certificates to trust for the authority's API, in place of the system's. */
            caFile: settings.ACME_CA_FILE,
          },
    /** `ip[:port]` each; empty: the servers of the system. */
    dnsServers: settings.DNS_SERVERS,
    /** How long domains are served after the plan no longer includes them, milliseconds. */
    domainGraceMs: settings.DOMAIN_GRACE_DAYS * DAY_MS,
    /** The fixed addresses at which visitors reach the gateway, in the form that DNS answers have. May be empty. */
    platformAddresses: settings.PLATFORM_ADDRESSES.map(canonicalAddress),
    /** PEM files: the certificate of `*.<platformHost>` and its private key. */
    platformTls:
      PLATFORM_TLS_CERT_FILE === undefined || PLATFORM_TLS_KEY_FILE === undefined
        ? undefined
        : { certFile: PLATFORM_TLS_CERT_FILE, keyFile: PLATFORM_TLS_KEY_FILE },
    /**
     * How many of the platform's hosts can get their first own certificate per week, where `platformTls` does not cover
     * them. Undefined: none.
     */
    siteCertificatesPerWeek: siteCertificatesPerWeek(settings),
    hstsSeconds: settings.HSTS_SECONDS,
  };
}

function siteCertificatesPerWeek(settings: Settings): number | undefined {
  const { HTTPS_PORT, ACME_DIRECTORY_URL, PLATFORM_CERTIFICATES_PER_WEEK: perWeek } = settings;
  const areIssued = HTTPS_PORT !== undefined && ACME_DIRECTORY_URL !== undefined && perWeek > 0;
  return areIssued ? perWeek : undefined;
}

/** Faults in the combination of the settings, one message each. */
export function domainFaults(settings: Settings): string[] {
  const faults: string[] = [];
  const isSet = (name: keyof Settings) => settings[name] !== undefined;
  const hasKeys = settings.KEY_ENCRYPTION_KEYS.length > 0;
  for (const name of ['HTTP_PORT', 'HTTPS_PORT', 'ACME_DIRECTORY_URL'] as const)
    if (isSet(name) && !isSet('PLATFORM_HOST'))
      faults.push(`${name} is a port for published sites and requires PLATFORM_HOST`);
  if (settings.PLATFORM_ADDRESSES.length > 0 && !isSet('PLATFORM_HOST'))
    faults.push(
      'PLATFORM_ADDRESSES are the addresses of PLATFORM_HOST, which is not set: set PLATFORM_HOST too',
    );
  for (const name of ['HTTP_PORT', 'HTTPS_PORT'] as const)
    if (isSet(`PUBLIC_${name}`) && !isSet(name))
      faults.push(`PUBLIC_${name} is the public number of ${name}, which is not set: set ${name} too`);
  if (isSet('ACME_DIRECTORY_URL') && !hasKeys)
    faults.push(
      'ACME_DIRECTORY_URL requires KEY_ENCRYPTION_KEYS, which encrypts stored private keys. Create a key with: echo "1:$(openssl rand -base64 32)"',
    );
  if (isSet('HTTPS_PORT') && !hasKeys && !isSet('PLATFORM_TLS_CERT_FILE'))
    faults.push(
      'HTTPS_PORT has no certificate: set ACME_DIRECTORY_URL and KEY_ENCRYPTION_KEYS, or PLATFORM_TLS_CERT_FILE and PLATFORM_TLS_KEY_FILE',
    );
  if (isSet('PLATFORM_TLS_CERT_FILE') !== isSet('PLATFORM_TLS_KEY_FILE'))
    faults.push('PLATFORM_TLS_CERT_FILE and PLATFORM_TLS_KEY_FILE must be set together');
  return faults;
}

function readEncryptionKeys(text: string, context: z.RefinementCtx<string>): EncryptionKey[] {
  const { keys, faults } = parseEncryptionKeys(text);
  for (const message of faults) context.addIssue({ code: 'custom', message });
  return keys;
}

function canonicalAddress(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
}

function isHttpsUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}

function readableFile() {
  return z.string().refine((path) => {
    try {
      accessSync(path, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  }, 'names a file that the gateway cannot read');
}
