import type { CertificateChain } from '../certificates/certificate-chain.js';
import type { Issuance } from '../certificates/issuance.js';
import type { Sealed } from '../certificates/key-ring.js';
import type { RenewalPlan } from '../certificates/renewal-time.js';
import type { DomainName } from './domain-name.js';
import { problemOf, type Problem } from './problem.js';

/** A customer's domain at a project, or the project's own host on the platform, which has a certificate as well. */
export interface Domain extends DomainName {
  id: string;
  projectId: string;
  /** The project's host: nobody adds, verifies or removes it. */
  isPlatform: boolean;
  createdAt: Date;
  /** What a TXT record proves the ownership with. */
  ownershipToken: string;
  /** Whether that record is due, as it was when somebody looked last. */
  ownershipRequired: boolean;
  /** Whether the name is this project's: it verified it, and nobody has proved since to be its owner. */
  holds: boolean;
  dns: DnsTrack;
  certificate: CertificateTrack;
  /** Why it does not go on by itself, or not yet: of DNS, or else of the certificate. */
  problem?: Problem | undefined;
  /** When there is something to do for it next. */
  nextRunAt?: Date | undefined;
}

export interface DnsTrack {
  /** `verifying`: nobody has looked yet since Verify was chosen. */
  state: 'pending' | 'verifying' | 'verified' | 'failed';
  /** When Verify was chosen last. */
  requestedAt?: Date | undefined;
  /** The request that the last look was for. */
  answeredAt?: Date | undefined;
  verifiedAt?: Date | undefined;
  /** Looks in a row without success. */
  failures: number;
  /** When to look again. */
  retryAt?: Date | undefined;
  /** What the last look found wrong. */
  problem?: Problem | undefined;
}

export interface CertificateTrack {
  state: 'none' | 'issuing' | 'active' | 'renewing' | 'failed';
  /** Under way. */
  issuance?: Issuance | undefined;
  current?: StoredCertificate | undefined;
  renewal?: RenewalPlan | undefined;
  /** When the next step, attempt or renewal is due. */
  nextAt?: Date | undefined;
  /** Attempts in a row without success. */
  failures: number;
  /** What the last step found wrong. */
  problem?: Problem | undefined;
}

export interface StoredCertificate extends CertificateChain {
  /** Of the issuance it came from, which its key is sealed for. */
  id: string;
  privateKey: Sealed;
}

export const NEW_DNS: DnsTrack = { state: 'pending', failures: 0 };
export const NO_CERTIFICATE: CertificateTrack = { state: 'none', failures: 0 };

/** The two tracks in one word, for people. */
export type DomainStatus = 'pending' | 'verifying' | 'issuing' | 'active' | 'action_required' | 'suspended';

/** How a domain stands at some moment, for people. */
export interface DomainState {
  status: DomainStatus;
  problem: Problem | undefined;
}

/** @param suspendedAt when its project's plan stops or stopped including domains, the grace period over */
export function domainStateOf(domain: Domain, nowMs: number, suspendedAt: Date | undefined): DomainState {
  if (domain.holds && suspendedAt !== undefined && suspendedAt.getTime() <= nowMs)
    return {
      status: 'suspended',
      problem: problemOf({ code: 'plan_required', name: domain.name }, suspendedAt),
    };
  const isCertified = isValidAt(domain.certificate.current, nowMs);
  const problem = domain.problem ?? (isCertified ? undefined : overdue(domain, nowMs));
  if (problem !== undefined && !isCertified) return { status: 'action_required', problem };
  return { status: statusOf(domain, isCertified), problem };
}

/** What has expired is as good as none: no browser takes it. */
export function isValidAt(
  certificate: Pick<StoredCertificate, 'notAfter'> | undefined,
  nowMs: number,
): boolean {
  return certificate !== undefined && certificate.notAfter.getTime() > nowMs;
}

function statusOf({ dns }: Domain, isCertified: boolean): DomainStatus {
  switch (dns.state) {
    case 'pending':
    case 'verifying':
      return dns.state;
    case 'failed':
      return 'action_required';
    case 'verified':
      return isCertified ? 'active' : 'issuing';
  }
}

/** Specification 1.1 item 5. */
export const OVERDUE_MS = 30 * 60 * 1000;

/** Certificates become overdue without anything happening. */
function overdue({ name, dns, nextRunAt }: Domain, nowMs: number): Problem | undefined {
  if (dns.state !== 'verified' || dns.verifiedAt === undefined) return undefined;
  const overdueAt = dns.verifiedAt.getTime() + OVERDUE_MS;
  return nowMs < overdueAt
    ? undefined
    : problemOf({ code: 'ssl_overdue', name }, new Date(overdueAt), nextRunAt);
}
