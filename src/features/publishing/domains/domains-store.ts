import type { Domain } from './domain.js';
import type { Problem } from './problem.js';

/** The part of a domain that looking and issuing change. */
export type DomainProgress = Pick<
  Domain,
  'dns' | 'certificate' | 'problem' | 'holds' | 'ownershipRequired' | 'nextRunAt'
>;

/** A domain that one worker has for a while. What it writes counts only while nobody has claimed it since. */
export interface Claim {
  domain: Domain;
  /** Raised by every claim. */
  fence: number;
}

/** Another project holds the name. */
export class NameHeld extends Error {}

/** Validations of a host that failed, whoever asked for them: authorities count by host, and allow few an hour. */
export interface FailedValidations {
  record(name: string, at: Date): Promise<void>;
  /** Oldest first. Those of the last hour at least are kept. */
  since(name: string, at: Date): Promise<Date[]>;
}

/** What may be issued within a time, shared by all gateways. A place in it counts from the last `take` on. */
export interface CertificateBudget {
  /** How many places there are. */
  perWeek: number;
  /** For one that has a place it is taken anew. Undefined when it has one then, else when the next one is free. */
  take(id: string, now: Date): Promise<Date | undefined>;
  /** For one that came to nothing, unless somebody took it anew since `takenAt`. */
  refund(id: string, takenAt: Date): Promise<void>;
}

/** Where domains are kept. Changes are majority writes. */
export interface DomainsStore {
  /** False when the project has the name already. */
  insert(domain: Domain): Promise<boolean>;
  /** Those that are not there yet, or under another name; the others stay as they are. */
  insertMissing(domains: readonly Domain[]): Promise<void>;
  get(id: string): Promise<Domain | undefined>;
  /** The customer's own, oldest first. */
  ofProject(projectId: string): Promise<Domain[]>;
  /** Whoever holds this name. */
  holderOf(name: string): Promise<Domain | undefined>;
  /** Whether a certificate for this name is being issued or renewed: then its challenges are answered. */
  isIssuing(name: string): Promise<boolean>;
  /** What was held stays on record. Undefined when there is none. */
  remove(id: string): Promise<Domain | undefined>;
  /** Makes the certificates of a project's domains due, where none is under way. */
  makeCertificatesDue(projectId: string, at: Date): Promise<void>;
  /** Asks for a look at DNS, now and with the growing interval begun anew. */
  requestVerification(id: string, at: Date): Promise<Domain | undefined>;

  /**
   * Whether a project other than this one holds or held the name. Of an apex: any name of the registrable domain, also
   * one that is pending, added `pendingSince` or later.
   */
  isClaimedElsewhere(
    domain: Pick<Domain, 'name' | 'registrable' | 'isApex' | 'projectId'>,
    pendingSince: Date,
  ): Promise<boolean>;
  /** Puts on record that the project holds the name. For good. */
  recordHolding(domain: Domain, at: Date): Promise<void>;
  /**
   * Takes the name from whoever else holds it, and who is told so by a problem. What proved the ownership to them proves
   * nothing any more: the records of the new owner may still have it.
   */
  takeOver(
    domain: Domain,
    newToken: string,
    problemOf: (loser: Domain) => Problem,
  ): Promise<Domain | undefined>;

  /** One that is due and that nobody has, for `leaseMs`. */
  claimDue(now: Date, leaseMs: number): Promise<Claim | undefined>;
  /**
   * Ends the claim with this progress. When Verify was chosen meanwhile, the domain is due at once. False when the claim
   * was lost, or the domain removed: nothing is written then.
   * @throws NameHeld when it would hold a name that another domain holds
   */
  save(claim: Claim, progress: DomainProgress): Promise<boolean>;
  /** When the next one is due; undefined when none is. */
  nextDueAt(): Promise<Date | undefined>;
}
