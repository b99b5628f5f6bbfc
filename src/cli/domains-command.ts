import { Command } from 'commander';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import { invalidRequest } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { domainRow, printDomain, siteRow } from './print-domain.js';
import { printRow, printRows } from './output.js';
import { redirectCommands } from './redirect-commands.js';

const OBSTACLES = 'As the settings of this command and DNS are now, this stands in its way:';

export function domainsCommand(): Command {
  const domains = new Command('domains').description('custom domains: add, verify, redirect, remove');

  domains
    .command('list')
    .description('the host of a project on the platform, and its domains, oldest first')
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
          'There is no domain yet.',
        );
        if (site?.problem !== undefined && !output.json) output.write(`\n${site.problem.message}\n`);
      }),
    );

  domains
    .command('add')
    .description('add a domain, and print the DNS records that it needs')
    .argument('<name>', 'a domain or subdomain, such as shop.example.com')
    .option(...PROJECT_OPTION)
    .action((name: string, { project: projectId }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const project = await chooseProject(services, projectId);
        const domain = await change.addDomain(project.id, name);
        const { obstaclesOf } = await import('./domain-obstacles.js');
        const obstacles = output.json ? [] : await obstaclesOf(domain, project, services.config);
        await printDomain(output, services, domain, [
          'Add this in the DNS settings of your registrar, then choose Verify:',
          `  pets-gateway domains verify ${domain.id}`,
          'DNS changes may take up to 48 hours to propagate.',
          ...(domain.isApex ? ['Some DNS providers call ALIAS ANAME; not every one supports it.'] : []),
          ...(obstacles.length === 0 ? [] : ['', OBSTACLES, ...obstacles.map((one) => `  - ${one}`)]),
        ]);
      }),
    );

  domains
    .command('show')
    .description('how far a domain is, what stands in its way, and its DNS records')
    .argument('<domainId>', 'as domains list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output) =>
        printDomain(output, services, await requireDomains(services.customerDomains?.service).get(id)),
      ),
    );

  domains
    .command('verify')
    .description('have the running gateway look at DNS now')
    .argument('<domainId>', 'as domains list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) =>
        printDomain(output, services, await change.verifyDomain(id), [
          'The running gateway looks at DNS now, and then gets the SSL certificate. To see how far it is:',
          `  pets-gateway domains show ${id}`,
        ]),
      ),
    );

  domains
    .command('primary')
    .description('choose the domain that stands for its project')
    .argument('[domainId]', 'the domain; or --platform')
    .option('--platform', 'the host that the platform gave the project')
    .option(...PROJECT_OPTION)
    .action((id: string | undefined, options: ProjectOption & { platform?: true }, command: Command) => {
      if ((id === undefined) !== (options.platform ?? false))
        throw invalidRequest({ field: 'domainId', message: 'give one or --platform, one of the two' });
      return withServices(command, async (services, output, change) => {
        const projectId =
          id === undefined || options.project !== undefined
            ? (await chooseProject(services, options.project)).id
            : (await requireDomains(services.customerDomains?.service).get(id)).projectId;
        const project = await change.setPrimaryDomain(projectId, id);
        const primary = requireDomains(services.customerDomains?.service).primaryOf(project);
        printRow(output, { project: project.id, primary: primary ?? null });
      });
    });

  for (const command of redirectCommands()) domains.addCommand(command);

  domains
    .command('remove')
    .description('stop serving a domain at once, and remove its redirects')
    .argument('<domainId>', 'as domains list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, async (_services, output, change) => {
        const { name, projectId } = await change.removeDomain(id);
        printRow(output, { id, name, project: projectId });
      }),
    );
  return domains;
}
