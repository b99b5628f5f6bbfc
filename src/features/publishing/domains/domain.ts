import type { CertificateChain } from '../certificates/certificate-chain.js';
import type { Issuance } from '../certificates/issuance.js';
import type { Sealed } from '../certificates/key-ring.js';
import type { RenewalPlan } from '../certificates/renewal-time.js';
import type { DomainName } from './domain-name.js';
import { problemOf, withEnd, type Problem } from './problem.js';

/** A customer's domain of a project, or the project's platform host, which has a certificate too. */
export interface Domain extends DomainName {
  id: string;
  projectId: string;
  /** Whether this is the project's platform host. Callers cannot add, verify or remove it. */
  isPlatform: boolean;
  createdAt: Date;
  /** The token in the TXT record that proves ownership. */
  ownershipToken: string;
  /** Whether that record is required, as of the last check. */
  ownershipRequired: boolean;
  /** Whether the project holds the name: it verified the name, and no other project has proved ownership since. */
  holds: boolean;
  dns: DnsTrack;
  certificate: CertificateTrack;
  /** Why the domain does not advance, or does not advance yet: the DNS problem, otherwise the certificate problem. */
  problem?: Problem | undefined;
  /** Computed whenever the domain is stored (`statusOf`). */
  status: StoredStatus;
  /** When `status` becomes `action_required`, unless the domain is stored again before. */
  actionRequiredAt?: Date | undefined;
  /** When the domain is due for its next step. */
  nextRunAt?: Date | undefined;
  /** When to check the DNS records again; set as long as the project holds the domain. */
  watchAt?: Date | undefined;
}

/** A domain to store, without what the store computes. */
export type NewDomain = Omit<Domain, 'status' | 'actionRequiredAt'>;

export interface DnsTrack {
  /** `verifying`: no DNS check has run since Verify was chosen. */
  state: 'pending' | 'verifying' | 'verified' | 'failed';
  /** When Verify was last chosen. */
  requestedAt?: Date | undefined;
  /** The `requestedAt` that the last check answered. */
  answeredAt?: Date | undefined;
  verifiedAt?: Date | undefined;
  /** Consecutive failed checks. */
  failures: number;
  /** When to check again, before the project holds the domain. */
  retryAt?: Date | undefined;
  /** The problem that the last check found. With the state `verified`: that DNS does not answer. */
  problem?: Problem | undefined;
}

export interface CertificateTrack {
  state: 'none' | 'issuing' | 'active' | 'renewing' | 'failed';
  /** The issuance under way. */
  issuance?: Issuance | undefined;
  current?: StoredCertificate | undefined;
  renewal?: RenewalPlan | undefined;
  /** When the next step, attempt or renewal is due. */
  nextAt?: Date | undefined;
  /** Consecutive failed attempts. */
  failures: number;
  /** The problem that the last step found. */
  problem?: Problem | undefined;
}

export interface StoredCertificate extends CertificateChain {
  /** The id of the issuance that the certificate came from. The key is sealed for this id. */
  id: string;
  privateKey: Sealed;
  /** The directory of the authority that issued it. */
  directoryUrl: string;
}

export const NEW_DNS: DnsTrack = { state: 'pending', failures: 0 };
export const NO_CERTIFICATE: CertificateTrack = { state: 'none', failures: 0 };

/** Both tracks as one status, for display. */
export type DomainStatus = StoredStatus | 'suspended';
type StoredStatus = 'pending' | 'verifying' | 'issuing' | 'active' | 'action_required';

/** The state of a domain at one moment, for display. */
export interface DomainState {
  status: DomainStatus;
  problem: Problem | undefined;
  /**
   * When visitors lose the site unless something changes: the end of the grace period after a downgrade, or the end of
   * the certificate of a domain with a problem. Undefined if the domain is not served, or nothing ends it.
   */
  servedUntil: Date | undefined;
}

/** How long a certificate can take, as the specification says. */
const OVERDUE_MS = 30 * 60 * 1000;

/**
 * The status to store with a domain. Time alone can change it: an expired certificate no longer hides a problem, and a
 * certificate becomes overdue without any event.
 */
export function statusOf(
  { dns, certificate: { current }, problem }: Pick<Domain, 'dns' | 'certificate' | 'problem'>,
  nowMs: number,
): Pick<Domain, 'status' | 'actionRequiredAt'> {
  const isCertified = isValidAt(current, nowMs);
  const expiresAt = isCertified ? current.notAfter : undefined;
  if (dns.state === 'failed' || (problem !== undefined && !isCertified))
    return { status: 'action_required', actionRequiredAt: expiresAt };
  if (dns.state !== 'verified') return { status: dns.state, actionRequiredAt: problem && expiresAt };
  return isCertified
    ? { status: 'active', actionRequiredAt: expiresAt }
    : { status: 'issuing', actionRequiredAt: overdueAt(dns) };
}

function overdueAt({ verifiedAt }: DnsTrack): Date | undefined {
  return verifiedAt && new Date(verifiedAt.getTime() + OVERDUE_MS);
}

/** @param suspendedAt end of the grace period after the project's plan stops including domains; can be in the future */
export function domainStateOf(domain: Domain, nowMs: number, suspendedAt: Date | undefined): DomainState {
  if (domain.holds && suspendedAt !== undefined && suspendedAt.getTime() <= nowMs)
    return {
      status: 'suspended',
      problem: problemOf({ code: 'plan_required', name: domain.name }, suspendedAt),
      servedUntil: undefined,
    };
  const { actionRequiredAt, certificate } = domain;
  const isDue = actionRequiredAt !== undefined && actionRequiredAt.getTime() <= nowMs;
  const status = isDue ? 'action_required' : domain.status;
  const problem = domain.problem ?? (isDue ? overdue(domain) : undefined);
  const graceEnd = domain.holds ? suspendedAt : undefined;
  if (problem === undefined)
    return { status, problem: lapsing(domain, nowMs, graceEnd), servedUntil: graceEnd };
  const { current } = certificate;
  return isValidAt(current, nowMs)
    ? {
        status,
        problem: withEnd(problem, current.notAfter),
        servedUntil: earlier(current.notAfter, graceEnd),
      }
    : { status, problem, servedUntil: graceEnd };
}

function lapsing({ name }: Domain, nowMs: number, endsAt: Date | undefined): Problem | undefined {
  return endsAt && problemOf({ code: 'plan_required', name, endsAt }, new Date(nowMs));
}

function earlier(time: Date, other: Date | undefined): Date {
  return other !== undefined && other < time ? other : time;
}

/** An expired certificate counts as none: no browser accepts it. */
export function isValidAt<C extends Pick<StoredCertificate, 'notAfter'>>(
  certificate: C | undefined,
  nowMs: number,
): certificate is C {
  return certificate !== undefined && certificate.notAfter.getTime() > nowMs;
}

function overdue({ name, dns, nextRunAt }: Domain): Problem | undefined {
  const at = dns.state === 'verified' ? overdueAt(dns) : undefined;
  return at && problemOf({ code: 'ssl_overdue', name }, at, nextRunAt);
}
