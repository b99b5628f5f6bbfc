import type { Domain } from '../features/publishing/domains/domain.js';
import type { DomainsService } from '../features/publishing/domains/domains-service.js';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import type { Site } from '../features/publishing/domains/sites-service.js';
import type { Project } from '../features/projects/project.js';
import type { CommandServices } from '../app/command-services.js';
import { printRow, printRows, type Output, type Row } from './output.js';

/** Prints a domain with its DNS records, and for people also the next steps. */
export async function printDomain(
  output: Output,
  { customerDomains, projects }: Pick<CommandServices, 'customerDomains' | 'projects'>,
  domain: Domain,
  next: readonly string[] = [],
): Promise<void> {
  const project = await projects.get(domain.projectId);
  const service = requireDomains(customerDomains?.service);
  const records = service.recordsOf(domain, project);
  const row = {
    ...domainRow(domain, project, service),
    message: service.stateOf(domain, project).problem?.message ?? null,
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
    'There are no records to add.',
  );
  if (next.length > 0) output.write(`\n${next.join('\n')}\n`);
}

export function domainRow(domain: Domain, project: Project, domains: Pick<DomainsService, 'stateOf'>): Row {
  const { status, problem, servedUntil } = domains.stateOf(domain, project);
  return {
    id: domain.id,
    name: domain.name,
    status,
    primary: project.primaryDomain === domain.name ? 'yes' : 'no',
    certificateExpiresAt: domain.certificate.current?.notAfter ?? null,
    servedUntil: servedUntil ?? null,
    problem: problem?.code ?? null,
    retryAt: problem?.retryAt ?? null,
  };
}

/** The project's host on the platform, in the same columns. It has no id, because no command changes it. */
export function siteRow({ host, isHttps, certificateExpiresAt, problem }: Site, project: Project): Row {
  return {
    id: null,
    name: host,
    status: isHttps ? 'https' : 'http',
    primary: project.primaryDomain === undefined ? 'yes' : 'no',
    certificateExpiresAt: certificateExpiresAt ?? null,
    servedUntil: null,
    problem: problem?.code ?? null,
    retryAt: problem?.retryAt ?? null,
  };
}
