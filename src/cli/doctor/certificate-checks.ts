import { readFileSync } from 'node:fs';
import { askHttps } from '../../features/publishing/certificates/ask-https.js';
import { directoryAnswer, type Directory } from '../../features/publishing/certificates/acme-answers.js';
import { readPlatformCertificate } from '../../features/publishing/certificates/platform-certificate.js';
import { checkCaa, checkCaaOfTarget } from '../../features/publishing/domains/dns/check-caa.js';
import type { Dns } from '../../features/publishing/domains/dns/dns.js';
import type { Config } from '../../config/config.js';
import { DAY_MS, type Clock } from '../../lib/clock.js';
import { isStagingDirectory } from '../../lib/lets-encrypt.js';
import { siteHost } from '../../features/projects/site-address.js';
import { isLocalhostName } from '../../lib/loopback.js';
import { withNoun } from '../../lib/with-noun.js';
import { fault, ok, warning, type Finding } from './finding.js';
import { anySite } from '../../features/publishing/domains/host-addresses.js';

const WARN_DAYS = 14;
const TIMEOUT_MS = 8000;

/** Checks the certificate of the platform and the certificate authority, on which HTTPS for sites depends. */
export async function checkCertificates(config: Config, dns: Dns, clock: Clock): Promise<Finding[]> {
  return [...checkPlatformCertificate(config, clock), ...(await checkAuthority(config, dns))];
}

function checkPlatformCertificate(config: Config, clock: Clock): Finding[] {
  const { platformTls, platformHost, siteCertificatesPerWeek } = config;
  const check = 'PLATFORM_TLS_CERT_FILE';
  if (platformTls === undefined || platformHost === undefined) return [];
  try {
    const certificate = readPlatformCertificate(platformTls, clock, () => undefined);
    const expiresAt = certificate.expiresAt();
    const daysLeft = Math.floor((expiresAt.getTime() - clock()) / DAY_MS);
    if (daysLeft < 0)
      return [
        fault(
          check,
          `ended on ${expiresAt.toISOString()}`,
          'Renew it; the files are read again by themselves.',
        ),
      ];
    const isForSites = certificate.isFor(siteHost('any', platformHost));
    if (!isForSites && siteCertificatesPerWeek === undefined)
      return [
        fault(
          check,
          `is not for *.${platformHost}`,
          'Sites need a wildcard certificate, or one each: set HTTPS_PORT, ACME_DIRECTORY_URL and PLATFORM_CERTIFICATES_PER_WEEK.',
        ),
      ];
    return daysLeft < WARN_DAYS
      ? [
          warning(
            check,
            `ends in ${withNoun(daysLeft, 'day')}`,
            'Renew it; the files are read again by themselves.',
          ),
        ]
      : [ok(check, `${isForSites ? `for *.${platformHost}, ` : ''}${withNoun(daysLeft, 'day')} left`)];
  } catch (error) {
    return [fault(check, (error as Error).message, 'See docs/sites.md.')];
  }
}

async function checkAuthority(config: Config, dns: Dns): Promise<Finding[]> {
  const { acme } = config;
  const check = 'ACME_DIRECTORY_URL';
  if (acme === undefined) return [];
  const { directoryUrl: url, caFile, profile } = acme;
  const remedy = 'No certificate is issued or renewed until it can be reached.';
  try {
    const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
    const { status, body } = await askHttps({ method: 'GET', url, ca, timeoutMs: TIMEOUT_MS });
    if (status !== 200) return [fault(check, `answers with ${status}`, remedy)];
    const directory = directoryOf(body);
    if (directory === undefined)
      return [fault(check, 'answers, but not with an ACME directory', 'Correct the address.')];
    const answered = isStagingDirectory(url)
      ? warning(
          check,
          'answers; it is for tests, and no browser trusts its certificates',
          'Set it to letsencrypt when everything else works.',
        )
      : ok(check, 'answers');
    return [
      answered,
      ...checkProfile(profile, directory),
      ...(await checkPlatformCaa(config, directory, dns)),
    ];
  } catch (error) {
    return [fault(check, `cannot be reached: ${(error as Error).message}`, remedy)];
  }
}

/** An authority rejects every order with a profile that it does not have. */
function checkProfile(profile: string | undefined, { meta: { profiles } }: Directory): Finding[] {
  const check = 'ACME_PROFILE';
  if (profile === undefined) return [];
  if (profiles === undefined)
    return [warning(check, 'the certificate authority has no profiles', 'Remove the setting.')];
  return Object.hasOwn(profiles, profile)
    ? [ok(check, `the certificate authority has ${profile}`)]
    : [
        fault(
          check,
          `the certificate authority has no profile ${profile}, and rejects every order`,
          `Set it to one of these, or remove it: ${Object.keys(profiles).join(', ')}.`,
        ),
      ];
}

/**
 * CAA records of a site's host forbid the authority for every domain that leads there by CNAME. Those at the names above
 * it count only for certificates of the sites themselves.
 */
async function checkPlatformCaa(
  { platformHost, siteCertificatesPerWeek }: Config,
  { meta: { caaIdentities: identities } }: Directory,
  dns: Dns,
): Promise<Finding[]> {
  const check = 'CAA records';
  if (platformHost === undefined || isLocalhostName(platformHost)) return [];
  const { host, record } = anySite(platformHost);
  // The account is in the database, and is created by the gateway.
  const authority = { identities, platformHost, accountUrl: () => Promise.resolve(undefined) };
  const look = siteCertificatesPerWeek === undefined ? checkCaaOfTarget : checkCaa;
  const result = await look(host, authority, dns);
  if (result.passed) return [ok(check, `permit the certificate authority for ${record}`)];
  const { fault: found } = result;
  return found.code === 'dns_unavailable'
    ? [
        warning(
          check,
          `DNS does not answer for ${found.name} (CAA, ${found.reason})`,
          'The certificate authority needs an answer. Look at DNS_SERVERS and the name servers.',
        ),
      ]
    : [
        fault(
          check,
          `of ${found.recordName} (${found.found}) forbid the certificate authority for ${record}`,
          found.expected === undefined ? 'Remove them.' : `Add ${found.expected}, or remove them.`,
        ),
      ];
}

function directoryOf(body: string): Directory | undefined {
  try {
    return directoryAnswer.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
