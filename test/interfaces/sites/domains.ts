import { randomBytes } from 'node:crypto';
import { Agent, request, type AgentOptions } from 'node:https';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { readCertificateChain } from '../../../src/features/publishing/certificates/certificate-chain.js';
import { openCsr, startIssuance } from '../../../src/features/publishing/certificates/issuance.js';
import type { CustomerDomains } from '../../../src/app/services.js';
import {
  NO_CERTIFICATE,
  type Domain,
  type StoredCertificate,
} from '../../../src/features/publishing/domains/domain.js';
import { chooseFreePort } from '../../support/free-port.js';
import type { Authority } from '../../support/authority.js';
import type { TestGateway, TestGatewayOptions } from '../../support/gateway.js';
import { startPlatform, type Visit, type Visited } from './visitor.js';

/** A gateway with ports for visitors. */
export interface VisitedGateway extends TestGateway {
  databaseName: string;
  /** For `visit`: HTTP_PORT in place of PORT. */
  http: { url: string };
  httpsPort: number;
  domains: CustomerDomains;
}

const KEY_ENCRYPTION_KEYS = `test:${randomBytes(32).toString('base64')}`;

export async function startVisited({ env, ...options }: TestGatewayOptions = {}): Promise<VisitedGateway> {
  const [httpPort, httpsPort] = [await chooseFreePort(), await chooseFreePort()];
  const ports = { HTTP_PORT: String(httpPort), HTTPS_PORT: String(httpsPort) };
  const gateway = await startPlatform({ env: { ...ports, KEY_ENCRYPTION_KEYS, ...env }, ...options });
  const domains = gateway.services.customerDomains;
  if (domains === undefined) throw new Error('no domains');
  return { ...gateway, http: { url: `http://127.0.0.1:${httpPort}` }, httpsPort, domains };
}

/** A domain that its project holds, without a certificate. */
export async function holdDomain(
  { domains }: VisitedGateway,
  projectId: string,
  name: string,
): Promise<Domain> {
  const domain = await domains.store.insert({
    id: `dom_${name}_${randomBytes(4).toString('hex')}`,
    projectId,
    isPlatform: false,
    name,
    unicode: name,
    registrable: name.split('.').slice(-2).join('.'),
    isApex: false,
    label: name.split('.')[0] ?? '',
    createdAt: new Date(),
    ownershipToken: 'token',
    ownershipRequired: false,
    holds: true,
    dns: { state: 'verified', verifiedAt: new Date(), failures: 0 },
    certificate: NO_CERTIFICATE,
  });
  if (domain === undefined) throw new Error(`the project has ${name} already`);
  return domain;
}

/** Gives the domain a new certificate, as the job does when it has one. */
export async function certify(
  { domains }: VisitedGateway,
  authority: Authority,
  { id, name }: Domain,
): Promise<StoredCertificate> {
  const { keyRing } = domains;
  if (keyRing === undefined) throw new Error('no key ring');
  const certificateId = `crt_${randomBytes(8).toString('hex')}`;
  const issuance = await startIssuance(
    { id: certificateId, hostname: name, profile: undefined, replaces: undefined },
    keyRing,
  );
  const pem = await authority.certify(openCsr(issuance, keyRing), name);
  const current = {
    ...readCertificateChain(pem),
    id: certificateId,
    privateKey: issuance.privateKey,
    directoryUrl: 'https://ca.example/directory',
  };
  await progress(domains, id, (domain) => ({
    ...domain,
    certificate: { ...domain.certificate, state: 'active', current },
  }));
  return current;
}

/** Changes a domain as the job does: claimed, and saved. */
export async function progress(
  { store }: CustomerDomains,
  id: string,
  change: (domain: Domain) => Domain,
): Promise<void> {
  await store.requestVerification(id, new Date(0));
  const claim = await store.claimDue(new Date(), 60_000);
  if (claim?.domain.id !== id) throw new Error(`${id} is not what is due`);
  expect(await store.save(claim, { ...change(claim.domain), nextRunAt: undefined })).toBe(true);
}

export interface SecureVisit extends Visit, Pick<ConnectionOptions, 'session' | 'minVersion' | 'maxVersion'> {
  /** The Host header, where it is not the server name. */
  host?: string;
}

export interface SecurelyVisited extends Visited {
  /** On a connection that had been used before. */
  keptAlive: boolean;
  /** On a connection that resumed a session. */
  resumed: boolean;
  /** Of the certificate that was shown. */
  serialNumber: string;
}

/** Does what browsers do: keeps connections, and offers its sessions on new ones. */
export function createBrowser(authority: Pick<Authority, 'root'>, options: AgentOptions = {}): Agent {
  return new Agent({ ca: authority.root, keepAlive: true, ...options });
}

/** A request over HTTPS. Rejects when no connection comes about: `code` says why. */
export function visitSecurely(
  agent: Agent,
  { httpsPort }: Pick<VisitedGateway, 'httpsPort'>,
  name: string,
  path = '/',
  { method = 'GET', headers = {}, body, host = name, ...tls }: SecureVisit = {},
): Promise<SecurelyVisited> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port: httpsPort, servername: name, method, path, ...tls };
    const req = request({ ...target, agent, headers: { host, ...headers } }, (res) => {
      const socket = res.socket as TLSSocket;
      const seen = { keptAlive: req.reusedSocket, resumed: socket.isSessionReused() };
      const { serialNumber } = socket.getPeerCertificate();
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const answer = { status: res.statusCode ?? 0, headers: res.headers, bytes, text: bytes.toString() };
        resolve({ ...answer, ...seen, serialNumber });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Why a visit comes to nothing: what the client's error says. */
export async function refusalOf(visit: Promise<unknown>): Promise<string> {
  try {
    await visit;
    return 'not refused';
  } catch (error) {
    return String(error);
  }
}

/** The alert that a server name without a certificate gets. */
export const HANDSHAKE_FAILURE = /alert handshake failure/;
