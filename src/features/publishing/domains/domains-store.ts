import type { LeadsBy } from './dns/check-routing.js';
import type { Domain, NewDomain } from './domain.js';
import type { Problem } from './problem.js';

/** The part of a domain that DNS checks and issuance change. */
export type DomainProgress = Pick<
  Domain,
  'dns' | 'certificate' | 'problem' | 'holds' | 'ownershipRequired' | 'nextRunAt' | 'watchAt'
>;

/** A lease of one process on a domain. A write counts only if no other claim was made since. */
export interface Claim {
  domain: Domain;
  /** Increases with every claim. */
  fence: number;
  /** Whether the domain was claimed to check the DNS records of a held domain again. */
  isWatch: boolean;
}

/** Which domains a process can take now. */
export interface Able {
  /**
   * `steps`, the default: what was asked for, and certificates. `watch`: to check the DNS records of held domains again.
   */
  work?: 'steps' | 'watch';
  /** Projects that have their share of this process already. */
  exceptProjects?: readonly string[];
  /**
   * The encryption keys of this process; undefined if keys do not matter. Domains sealed with another key are left to
   * processes that have it, and claimed only after they were due for `LEFT_TO_OTHERS_MS`.
   */
  keyIds?: readonly string[] | undefined;
}

export const LEFT_TO_OTHERS_MS = 10_000;

/** Another project holds the name. */
export class NameHeld extends Error {}

/** Failed validations of a host, across all projects: authorities count per host, and allow only a few per hour. */
export interface FailedValidations {
  record(name: string, at: Date): Promise<void>;
  /** Oldest first. The store keeps at least the last hour. */
  since(name: string, at: Date): Promise<Date[]>;
}

/**
 * Limits how many certificates are issued per week, across all gateway processes. A place counts from its last `take`.
 */
export interface CertificateBudget {
  /** The number of places. */
  perWeek: number;
  /**
   * Takes a place, or renews the time of a place that the id already has. Returns undefined on success, otherwise when
   * the next place is free.
   */
  take(id: string, now: Date): Promise<Date | undefined>;
  /** Refunds a place that led to no certificate, unless it was taken again after `takenAt`. */
  refund(id: string, takenAt: Date): Promise<void>;
}

/** Stores domains, and computes the status of each with every change. Changes use majority writes. */
export interface DomainsStore {
  /** Returns undefined if the project already has the name. */
  insert(domain: NewDomain): Promise<Domain | undefined>;
  /**
   * Inserts domains that do not exist, or replaces those that exist under another name; leaves the others unchanged.
   */
  insertMissing(domains: readonly NewDomain[]): Promise<void>;
  get(id: string): Promise<Domain | undefined>;
  /** Customers' domains only, oldest first. */
  ofProject(projectId: string): Promise<Domain[]>;
  /** The domains of this name, in whichever projects, oldest first. */
  named(domain: Pick<Domain, 'name' | 'registrable'>, limit: number): Promise<Domain[]>;
  /** The domain that holds this name. */
  holderOf(name: string): Promise<Domain | undefined>;
  /**
   * Whether a certificate for this name is being issued or renewed. Only then does the gateway answer its challenges.
   */
  isIssuing(name: string): Promise<boolean>;
  /** The record of held names stays. Returns undefined if the domain does not exist. */
  remove(id: string): Promise<Domain | undefined>;
  /** Makes the certificates of a project's domains due, unless an issuance is under way. Ends the claims on them. */
  makeCertificatesDue(projectId: string, at: Date): Promise<void>;
  /** Requests a DNS check now and resets the growing retry interval. */
  requestVerification(id: string, at: Date): Promise<Domain | undefined>;

  /**
   * Whether another project holds or held the name. For a name that leads here by its addresses: whether another project
   * holds or held any name of the registrable domain, or added one since `pendingSince`, even if that one is pending.
   */
  isClaimedElsewhere(
    domain: Pick<Domain, 'name' | 'registrable' | 'projectId'>,
    leadsBy: LeadsBy,
    pendingSince: Date,
  ): Promise<boolean>;
  /** Whether any project holds or held the name. */
  wasHeld(name: string): Promise<boolean>;
  /** Records permanently that the project holds the name. */
  recordHolding(domain: Domain, at: Date): Promise<void>;
  /**
   * Takes the name from the other domain that holds it, and stores a problem there. Replaces that domain's ownership
   * token, because the new owner's records may still contain the old one.
   * @returns the domain that lost the name; undefined if no other domain held it
   */
  takeOver(
    domain: Domain,
    newToken: string,
    problemOf: (loser: Domain) => Promise<Problem>,
  ): Promise<Domain | undefined>;

  /**
   * Claims the longest-due domain that this process can take and no process has a lease on, for `leaseMs`. One lease
   * covers both kinds of work.
   */
  claimDue(now: Date, leaseMs: number, able?: Able): Promise<Claim | undefined>;
  /**
   * Stores this progress and ends the claim. If Verify was chosen in the meantime, the domain is due at once. Returns
   * false and writes nothing if the claim was lost or the domain removed.
   * @throws NameHeld if the domain would hold a name that another domain holds
   */
  save(claim: Claim, progress: DomainProgress): Promise<boolean>;
  /** When the next domain that this process can take is due; undefined if none is scheduled. */
  nextDueAt(able?: Able): Promise<Date | undefined>;
}
