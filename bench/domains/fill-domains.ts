import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { readCertificateChain } from '../../src/features/publishing/certificates/certificate-chain.js';
import { openCsr, startIssuance } from '../../src/features/publishing/certificates/issuance.js';
import { parseConfig } from '../../src/config/config.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import { MAX_DOMAINS } from '../../src/features/publishing/domains/domains-service.js';
import { systemClock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import { createServices, type CustomerDomains, type Services } from '../../src/app/services.js';
import { createAuthority } from '../../test/support/authority.js';

export const PLATFORM_HOST = 'pets.test';

export interface FilledDomains {
  domains: readonly Domain[];
  /** PEM, for clients to trust. */
  root: string;
  /** The hosts of the projects on the platform. */
  siteHosts: readonly string[];
  services: Services;
}

/** Settings that a gateway over these domains needs too. */
export function domainSettings(): Record<string, string> {
  return {
    PLATFORM_HOST,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    KEY_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  };
}

/** Projects with a site each and as many domains as they may have, all with certificates. */
export async function fillWithDomains(
  connection: Connection,
  count: number,
  settings: Readonly<Record<string, string>>,
): Promise<FilledDomains> {
  const config = parseConfig({ ...settings, MONGODB_URI: 'mongodb://unused' });
  const log = createLogger({ level: 'error', pretty: false });
  await prepareDatabase(config, connection, log);
  const services = await createServices(config, connection, log, systemClock);
  const { customerDomains } = services;
  if (customerDomains?.keyRing === undefined)
    throw new Error('the settings name no PLATFORM_HOST or no keys');
  const change = services.administration({ role: 'command line' });
  const authority = await createAuthority();
  const domains: Domain[] = [];
  const siteHosts: string[] = [];
  while (domains.length < count) {
    const { id, slug } = await change.createProject({ name: `Store ${siteHosts.length}`, plan: 'pro' });
    await change.createDeploy({ projectId: id, template: 'storefront' });
    siteHosts.push(`${slug}.${PLATFORM_HOST}`);
    for (let i = 0; i < MAX_DOMAINS && domains.length < count; i++) {
      const name = `shop.customer-${domains.length}.test`;
      const added = await customerDomains.service.add(id, name);
      const domain = await withCertificate(added, customerDomains, (csr) => authority.certify(csr, name));
      domains.push(domain);
    }
  }
  return { domains, root: authority.root, siteHosts, services };
}

async function withCertificate(
  domain: Domain,
  { store, keyRing }: CustomerDomains,
  certify: (csr: Buffer) => Promise<string>,
): Promise<Domain> {
  if (keyRing === undefined) throw new Error('no key ring');
  const id = `crt_${domain.id}`;
  const start = { id, hostname: domain.name, profile: undefined, replaces: undefined };
  const issuance = await startIssuance(start, keyRing);
  const chain = readCertificateChain(await certify(openCsr(issuance, keyRing)));
  const now = new Date();
  const served: Domain = {
    ...domain,
    holds: true,
    dns: { state: 'verified', verifiedAt: now, failures: 0 },
    certificate: {
      state: 'active',
      current: {
        ...chain,
        id,
        privateKey: issuance.privateKey,
        directoryUrl: 'https://ca.example/directory',
      },
      failures: 0,
    },
  };
  await store.requestVerification(domain.id, now);
  const claim = await store.claimDue(now, 60_000);
  if (claim?.domain.id !== domain.id) throw new Error(`${domain.name} is not what is due`);
  await store.save(claim, { ...served, dns: { ...served.dns, requestedAt: now, answeredAt: now } });
  return served;
}
