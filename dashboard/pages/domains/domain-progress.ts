import type { DomainProblemCode, DomainStatus } from '../../api/schema-types.js';
import type { Domain } from './domain-documents.js';
import type { Tone } from '../../components/notice.js';

export const STATUS_WORDS: Record<DomainStatus, { word: string; tone: Tone }> = {
  pending: { word: 'Not verified yet', tone: 'neutral' },
  verifying: { word: 'Verifying', tone: 'info' },
  issuing: { word: 'Issuing certificate', tone: 'info' },
  active: { word: 'Active', tone: 'good' },
  action_required: { word: 'Action required', tone: 'bad' },
  suspended: { word: 'Suspended', tone: 'warn' },
};

export const PROBLEM_TITLES: Record<DomainProblemCode, string> = {
  apex_address_mismatch: 'The domain points elsewhere',
  ca_rate_limited: 'The certificate authority limits requests',
  ca_rejected: 'The certificate authority rejected the request',
  ca_unavailable: 'The certificate authority is unavailable',
  caa_blocks: 'A CAA record blocks the certificate authority',
  cname_loop: 'The CNAME records form a loop',
  cname_mismatch: 'The CNAME value differs',
  conflicting_a_record: 'An A record blocks the CNAME',
  conflicting_aaaa_record: 'An AAAA record conflicts',
  dns_unavailable: 'DNS did not respond',
  no_record: 'The record is missing',
  not_deployed: 'The project has no deploy',
  nxdomain: 'The name does not exist in DNS',
  ownership_txt_required: 'Prove that you own the domain',
  plan_required: 'A paid plan is required',
  ssl_overdue: 'SSL is not provisioned after 30 minutes',
};

/** Problems that resolve themselves in time. */
const WAITS: ReadonlySet<DomainProblemCode> = new Set([
  'ca_rate_limited',
  'ca_unavailable',
  'dns_unavailable',
]);

export function toneOfProblem(code: DomainProblemCode): Tone {
  return WAITS.has(code) ? 'warn' : 'bad';
}

export type StepState = 'done' | 'current' | 'failed' | 'waiting';

export interface Step {
  name: string;
  state: StepState;
}

const NAMES = ['Records', 'Verified', 'Certificate', 'Active'];

/** Problems of the records. The others come after the records. */
const OF_RECORDS: ReadonlySet<DomainProblemCode> = new Set([
  'apex_address_mismatch',
  'cname_loop',
  'cname_mismatch',
  'conflicting_a_record',
  'conflicting_aaaa_record',
  'dns_unavailable',
  'no_record',
  'nxdomain',
  'ownership_txt_required',
]);

/**
 * Records → Verified → Certificate → Active. The first two are done only while the gateway knows that the records are
 * right: not while it looks, and no longer when a record of a domain in use has gone.
 */
export function stepsOf({ status, dnsState, problem }: Domain): Step[] {
  const areRecordsRight =
    (dnsState === 'verified' || problem?.code === 'caa_blocks') &&
    !(problem !== null && OF_RECORDS.has(problem.code));
  const now: StepState = problem === null ? 'current' : 'failed';
  const hasCertificate = status === 'active' || status === 'suspended';
  const isServed = status === 'active' && areRecordsRight;
  const states: StepState[] = [
    areRecordsRight ? 'done' : now,
    areRecordsRight ? 'done' : 'waiting',
    hasCertificate ? 'done' : areRecordsRight ? now : 'waiting',
    isServed ? 'done' : status === 'suspended' ? now : 'waiting',
  ];
  return NAMES.map((name, at) => ({ name, state: states[at] ?? 'waiting' }));
}

const SOON_MS = 2_000;
const LATER_MS = 15_000;

/** Returns the time until the next look at the domains, milliseconds; undefined if no change is expected by itself. */
export function pollAfterMs(domains: readonly Domain[]): number | undefined {
  if (domains.some(({ status }) => status === 'verifying' || status === 'issuing')) return SOON_MS;
  return domains.some(({ problem }) => problem?.retryAt) ? LATER_MS : undefined;
}
