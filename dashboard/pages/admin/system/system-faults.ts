import { addressOf } from '../../../shell/addresses.js';
import { nameOfCheck } from './check-names.js';
import type { SystemHealth } from './system-documents.js';

/** A current or imminent fault, and what to do about it. */
export interface SystemFault {
  tone: 'bad' | 'warn';
  title: string;
  text: string;
  /** The page where the user can fix it. */
  link?: { href: string; label: string };
}

/** Overdue after this time, milliseconds. The job looks for due domains every few seconds. */
const LATE_MS = 120_000;

/** Returns the faults, the worst first; none if all is well. */
export function faultsOf(health: SystemHealth, nowMs: number): SystemFault[] {
  const { ready, checks, quotaOutage, domains, domainsDue, oldestDueAt, certificatesExpiring } = health;
  const faults: SystemFault[] = [];
  if (!ready)
    faults.push({
      tone: 'bad',
      title: 'This gateway is not ready',
      text: 'Requests cannot be answered as they should be: the checks below say what is the matter.',
    });
  for (const { name, ok, detail } of checks)
    if (!ok)
      faults.push({
        tone: 'bad',
        title: `Failing: ${nameOfCheck(name)}`,
        text: detail ?? 'It does not say why.',
      });
  if (quotaOutage)
    faults.push({
      tone: 'bad',
      title: 'The quota store is down',
      text: 'Each gateway admits its part of a limit by itself until the store is back. Counts of that time are lost.',
    });
  if (oldestDueAt !== null && nowMs - Date.parse(oldestDueAt) > LATE_MS)
    faults.push({
      tone: 'bad',
      title: 'Nobody does what is due for domains',
      text: `${count(domainsDue, 'domain waits', 'domains wait')} for a look at DNS or a step to a certificate. See whether a gateway of this database runs that can reach DNS and the certificate authority.`,
    });
  for (const { name, projectId, expiresAt, problem } of certificatesExpiring) {
    const hasEnded = Date.parse(expiresAt) <= nowMs;
    if (hasEnded || problem !== null)
      faults.push({
        tone: hasEnded ? 'bad' : 'warn',
        title: hasEnded ? `The certificate of ${name} has ended` : `${name} may lose its certificate`,
        text: problem?.message ?? 'It was not renewed in time. Choose Re-verify on its page.',
        link: { href: addressOf.domains(projectId), label: 'Open its page' },
      });
  }
  const toAct = domains.find(({ status }) => status === 'action_required')?.count ?? 0;
  if (toAct > 0)
    faults.push({
      tone: 'warn',
      title: `${count(toAct, 'domain needs', 'domains need')} somebody to act`,
      text: 'Each says on its page what to do next. Nothing goes on by itself there.',
    });
  return faults.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
