import { Command } from 'commander';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import { invalidRequest } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { DOMAIN_ARGUMENT, findDomain } from './find-domain.js';
import { domainRow, printDomain, siteRow } from './print-domain.js';
import { printRow, printRows } from './output.js';
import { redirectCommands } from './redirect-commands.js';

const OBSTACLES =
  'According to the settings of this command and the current DNS records, these problems remain:';

export function domainsCommand(): Command {
  const domains = new Command('domains').description('add, verify, redirect and remove custom domains');

  domains
    .command('list')
    .description('list the platform host of a project and its domains, oldest first')
    .option(...PROJECT_OPTION)
    .action(({ project: projectId }: ProjectOption, command: Command) =>
      withServices(command, async (services, output) => {
        const project = await chooseProject(services, projectId);
        const service = requireDomains(services.customerDomains?.service);
        const found = await service.ofProject(project.id);
        const site = await services.customerDomains?.sites.siteOf(project);
        const rows = found.map((domain) => domainRow(domain, project, service));
        printRows(
          output,
          site === undefined ? rows : [siteRow(site, project), ...rows],
          'There are no domains yet.',
        );
        if (site?.problem !== undefined && !output.json) output.write(`\n${site.problem.message}\n`);
      }),
    );

  domains
    .command('add')
    .description('add a domain and print the DNS records to publish')
    .argument('<name>', 'a domain or subdomain, such as shop.example.com')
    .option(...PROJECT_OPTION)
    .action((name: string, { project: projectId }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const project = await chooseProject(services, projectId);
        const domain = await change.addDomain(project.id, name);
        const { obstaclesOf } = await import('./domain-obstacles.js');
        const obstacles = output.json ? [] : await obstaclesOf(domain, project, services.config);
        await printDomain(output, services, domain, [
          'Add these records in the DNS settings of your registrar. Then run:',
          `  pets-gateway domains verify ${domain.id}`,
          'DNS changes can take up to 48 hours to propagate.',
          ...(domain.isApex
            ? ['Some DNS providers call an ALIAS record ANAME. Some do not support it.']
            : []),
          ...(obstacles.length === 0 ? [] : ['', OBSTACLES, ...obstacles.map((one) => `  - ${one}`)]),
        ]);
      }),
    );

  domains
    .command('show')
    .description('show the status of a domain, its problems and its DNS records')
    .argument(...DOMAIN_ARGUMENT)
    .option(...PROJECT_OPTION)
    .action((text: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output) =>
        printDomain(output, services, await findDomain(services, text, project)),
      ),
    );

  domains
    .command('verify')
    .description('make the running gateway check DNS now')
    .argument(...DOMAIN_ARGUMENT)
    .option(...PROJECT_OPTION)
    .action((text: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await findDomain(services, text, project);
        await printDomain(output, services, await change.verifyDomain(id), [
          'The running gateway checks DNS now and then requests the certificate. To see the status, run:',
          `  pets-gateway domains show ${id}`,
        ]);
      }),
    );

  domains
    .command('primary')
    .description('choose the primary domain of a project')
    .argument('[domain]', `${DOMAIN_ARGUMENT[1]}. Omit it with --platform`)
    .option('--platform', 'the platform host of the project')
    .option(...PROJECT_OPTION)
    .action((text: string | undefined, options: ProjectOption & { platform?: true }, command: Command) => {
      if ((text === undefined) !== (options.platform ?? false))
        throw invalidRequest({ field: 'domain', message: 'name a domain or use --platform, one of the two' });
      return withServices(command, async (services, output, change) => {
        const domain = text === undefined ? undefined : await findDomain(services, text, options.project);
        const projectId = domain?.projectId ?? (await chooseProject(services, options.project)).id;
        const project = await change.setPrimaryDomain(projectId, domain?.id);
        const primary = requireDomains(services.customerDomains?.service).primaryOf(project);
        printRow(output, { project: project.id, primary: primary ?? null });
      });
    });

  for (const command of redirectCommands()) domains.addCommand(command);

  domains
    .command('remove')
    .description('remove a domain: the gateway stops serving it at once and removes its redirects')
    .argument(...DOMAIN_ARGUMENT)
    .option(...PROJECT_OPTION)
    .action((text: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await findDomain(services, text, project);
        const { name, projectId } = await change.removeDomain(id);
        printRow(output, { id, name, project: projectId });
      }),
    );
  return domains;
}
