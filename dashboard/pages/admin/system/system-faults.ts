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
      text: 'It can’t answer requests as it should. See the failing checks below.',
    });
  for (const { name, ok, detail } of checks)
    if (!ok)
      faults.push({
        tone: 'bad',
        title: `Failing: ${nameOfCheck(name)}`,
        text: detail ?? 'The check gave no reason.',
      });
  if (quotaOutage)
    faults.push({
      tone: 'bad',
      title: 'The quota store is down',
      text: 'Until the store is back, used requests are unknown, and each gateway applies its share of the limits. Then the gateways add what they counted.',
    });
  if (oldestDueAt !== null && nowMs - Date.parse(oldestDueAt) > LATE_MS)
    faults.push({
      tone: 'bad',
      title: 'Work on domains is overdue',
      text: `${count(domainsDue, 'domain is', 'domains are')} waiting for a DNS check or a certificate step. Make sure that a gateway with this database is running and can reach DNS and the certificate authority.`,
    });
  for (const { name, projectId, expiresAt, problem } of certificatesExpiring) {
    const hasEnded = Date.parse(expiresAt) <= nowMs;
    if (hasEnded || problem !== null)
      faults.push({
        tone: hasEnded ? 'bad' : 'warn',
        title: hasEnded ? `The certificate of ${name} has expired` : `The certificate of ${name} may expire`,
        text:
          problem?.message ?? 'It was not renewed in time. Choose Re-verify on its project’s Domains page.',
        link: { href: addressOf.domains(projectId), label: 'Open domain' },
      });
  }
  const toAct = domains.find(({ status }) => status === 'action_required')?.count ?? 0;
  if (toAct > 0)
    faults.push({
      tone: 'warn',
      title: `${count(toAct, 'domain needs', 'domains need')} action`,
      text: 'Each project’s Domains page says what to do. The gateway can’t continue without that.',
      link: { href: addressOf.stuckDomains, label: 'Show domains' },
    });
  return faults.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
