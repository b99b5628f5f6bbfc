import { Command } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import type { Project } from '../features/projects/project.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import { invalidRequest } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { DOMAIN_ARGUMENT, findDomain } from './find-domain.js';
import { domainRow, printDomain, printPair, siteRow } from './print-domain.js';
import { printRow, printRows } from './output.js';
import { redirectCommands } from './redirect-commands.js';

const OBSTACLES =
  'According to the settings of this command and the current DNS records, these problems remain:';

interface AddOptions extends ProjectOption {
  withCounterpart?: true;
}

async function obstaclesTo(
  added: readonly Domain[],
  project: Project,
  { customerDomains }: Pick<CommandServices, 'customerDomains'>,
): Promise<string[]> {
  const obstacles = (await customerDomains?.obstaclesTo(added, project)) ?? [];
  return obstacles.length === 0 ? [] : ['', OBSTACLES, ...obstacles.map((one) => `  - ${one}`)];
}

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
        const site = await services.customerDomains?.platformHosts.siteOf(project);
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
    .option(
      '--with-counterpart',
      'also add the name with or without www., and redirect it to <name>: www.example.com for example.com',
    )
    .option(...PROJECT_OPTION)
    .action((name: string, options: AddOptions, command: Command) =>
      withServices(command, async (services, output, change) => {
        const project = await chooseProject(services, options.project);
        const pair =
          options.withCounterpart === true ? await change.addDomainPair(project.id, name) : undefined;
        const domain = pair?.domain ?? (await change.addDomain(project.id, name));
        const added = pair === undefined ? [domain] : [domain, pair.counterpart];
        const next = [
          'Add these records in the DNS settings of your registrar. Then run:',
          ...added.map(({ id }) => `  pets-gateway domains verify ${id}`),
          'DNS changes can take up to 48 hours to propagate.',
          ...(added.some(({ isApex }) => isApex)
            ? ['Some DNS providers call an ALIAS record ANAME. Some do not support it.']
            : []),
          ...(pair === undefined
            ? []
            : [`As soon as both are served, ${pair.counterpart.unicode} redirects to ${domain.unicode}.`]),
          ...(output.json ? [] : await obstaclesTo(added, project, services)),
        ];
        if (pair === undefined) await printDomain(output, services, domain, next);
        else await printPair(output, services, pair, next);
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
        printRow(output, { project: project.id, primary });
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
