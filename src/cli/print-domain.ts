import type { Domain } from '../features/publishing/domains/domain.js';
import type { DomainPair, DomainsService } from '../features/publishing/domains/domains-service.js';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import type { Site } from '../features/publishing/domains/platform-hosts.js';
import type { Project } from '../features/projects/project.js';
import type { CommandServices } from '../app/command-services.js';
import { printRow, printRows, type Output, type Row } from './output.js';

type Services = Pick<CommandServices, 'customerDomains' | 'projects'>;

/** Prints a domain with its DNS records, and for people also the next steps. */
export async function printDomain(
  output: Output,
  services: Services,
  domain: Domain,
  next: readonly string[] = [],
): Promise<void> {
  const details = await detailsOf(domain, services);
  if (output.json) {
    output.write(`${JSON.stringify(forPrograms(details), null, 2)}\n`);
    return;
  }
  printDetails(output, details);
  if (next.length > 0) output.write(`\n${next.join('\n')}\n`);
}

/** Prints a domain and its counterpart, as `printDomain` prints one. */
export async function printPair(
  output: Output,
  services: Services,
  { domain, counterpart }: DomainPair,
  next: readonly string[],
): Promise<void> {
  const both = [await detailsOf(domain, services), await detailsOf(counterpart, services)] as const;
  if (output.json) {
    const [details, other] = both.map(forPrograms);
    output.write(`${JSON.stringify({ ...details, counterpart: other }, null, 2)}\n`);
    return;
  }
  for (const details of both) {
    printDetails(output, details);
    output.write('\n');
  }
  output.write(`${next.join('\n')}\n`);
}

type Details = Awaited<ReturnType<typeof detailsOf>>;

async function detailsOf(domain: Domain, { customerDomains, projects }: Services) {
  const project = await projects.get(domain.projectId);
  const service = requireDomains(customerDomains?.service);
  return {
    row: {
      ...domainRow(domain, project, service),
      message: service.stateOf(domain, project).problem?.message ?? null,
    },
    records: await service.recordsOf(domain, project),
    alternativeRecords: service.alternativesOf(domain),
  };
}

function forPrograms({ row, records, alternativeRecords }: Details) {
  return { ...row, records, alternativeRecords };
}

function printDetails(output: Output, { row, records, alternativeRecords }: Details): void {
  printRow(output, row);
  output.write('\n');
  printRows(
    output,
    records.map((record) => ({ ...record })),
    'There are no records to add.',
  );
  if (alternativeRecords.length > 0) {
    output.write(
      '\nIf your DNS provider has no ALIAS or ANAME records, add these in place of the ALIAS record:\n\n',
    );
    printRows(
      output,
      alternativeRecords.map((record) => ({ ...record })),
      '',
    );
  }
}

export function domainRow(domain: Domain, project: Project, domains: Pick<DomainsService, 'stateOf'>): Row {
  const { status, problem, servedUntil } = domains.stateOf(domain, project);
  return {
    id: domain.id,
    name: domain.name,
    status,
    primary: project.primaryDomain === domain.name,
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
    primary: project.primaryDomain === undefined,
    certificateExpiresAt: certificateExpiresAt ?? null,
    servedUntil: null,
    problem: problem?.code ?? null,
    retryAt: problem?.retryAt ?? null,
  };
}
