import { problemAt, statusOf, type Domain } from '../domains/domain.js';
import { requireDomains } from '../domains/require-domains.js';
import type { Project } from '../projects/project.js';
import type { Services } from '../services.js';
import { printRow, printRows, type Output, type Row } from './output.js';

/** One domain with its DNS records; for people also what to do next. */
export async function printDomain(
  output: Output,
  { domains, projects, clock }: Pick<Services, 'domains' | 'projects' | 'clock'>,
  domain: Domain,
  next: readonly string[] = [],
): Promise<void> {
  const project = await projects.get(domain.projectId);
  const records = requireDomains(domains).recordsOf(domain, project);
  const nowMs = clock();
  const row = {
    ...domainRow(domain, project, nowMs),
    message: problemAt(domain, nowMs)?.message ?? null,
  };
  if (output.json) {
    output.write(`${JSON.stringify({ ...row, records }, null, 2)}\n`);
    return;
  }
  printRow(output, row);
  output.write('\n');
  printRows(
    output,
    records.map((record) => ({ ...record })),
    'There is no record to add.',
  );
  if (next.length > 0) output.write(`\n${next.join('\n')}\n`);
}

export function domainRow(domain: Domain, { primaryDomain }: Project, nowMs: number): Row {
  const problem = problemAt(domain, nowMs);
  return {
    id: domain.id,
    name: domain.name,
    status: statusOf(domain, nowMs),
    primary: primaryDomain === domain.name ? 'yes' : 'no',
    certificateExpiresAt: domain.certificate.current?.notAfter.toISOString() ?? null,
    problem: problem?.code ?? null,
    retryAt: problem?.retryAt?.toISOString() ?? null,
  };
}
