import { existsSync, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import {
  SITE_TEMPLATES,
  type Deploy,
  type FileContent,
  type SiteTemplate,
} from '../features/publishing/deploys/deploy.js';
import { invalidRequest } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { printRow, printRows, type Row } from './output.js';

interface DeployOptions extends ProjectOption {
  template?: SiteTemplate;
  message?: string;
}

/** How many deploys to list at most. More than are kept with the default DEPLOYS_KEPT of 10. */
const LISTED = 100;
const NO_ADDRESS = 'unknown: PUBLIC_URL and PLATFORM_HOST are not set for this command';

export function deployCommand(): Command {
  return new Command('deploy')
    .description('publish a folder of static files as the site of a project')
    .argument('[dir]', 'the folder, with an index.html; or --template')
    .option(...PROJECT_OPTION)
    .addOption(new Option('--template <name>', 'publish a built-in site').choices(SITE_TEMPLATES))
    .option('--message <text>', 'what to say of this deploy')
    .action((dir: string | undefined, options: DeployOptions, command: Command) => {
      const { project: projectId, template, message } = options;
      if ((dir === undefined) === (template === undefined))
        throw invalidRequest({ field: 'dir', message: 'give a folder or --template, one of the two' });
      return withServices(command, async (services, output, change) => {
        const project = await chooseProject(services, projectId);
        const input = { projectId: project.id, message };
        const deploy =
          dir === undefined
            ? await change.createDeploy({ ...input, template })
            : await change.deploySite(input, await contentsOf(dir));
        const site = await services.customerDomains?.sites.siteOf(project);
        printRow(output, {
          ...toRow(deploy, true),
          site: site?.url ?? (output.json ? null : NO_ADDRESS),
        });
      });
    });
}

export function deploysCommand(): Command {
  const deploys = new Command('deploys').description('what was deployed, and the way back');

  deploys
    .command('list')
    .description('the deploys of a project, newest first')
    .option(...PROJECT_OPTION)
    .action(({ project: projectId }: ProjectOption, command: Command) =>
      withServices(command, async (services, output) => {
        const { id, liveDeployId } = await chooseProject(services, projectId);
        const page = await services.deploys.page(id, LISTED, undefined);
        printRows(
          output,
          page.deploys.map((deploy) => toRow(deploy, deploy.id === liveDeployId)),
          'There is no deploy yet.',
        );
      }),
    );

  deploys
    .command('rollback')
    .description('make a deploy live that is still kept, back or forward')
    .argument('<deployId>', 'as deploys list shows it')
    .action((deployId: string, _options: unknown, command: Command) =>
      withServices(command, async ({ deploys }, output, change) => {
        const { projectId } = await deploys.get(deployId);
        printRow(output, toRow(await change.rollbackDeploy(projectId, deployId), true));
      }),
    );
  return deploys;
}

/** Reads all files before anything changes. */
async function contentsOf(dir: string): Promise<FileContent[]> {
  if (!existsSync(dir) || !statSync(dir).isDirectory())
    throw invalidRequest({ field: 'dir', message: `there is no folder ${JSON.stringify(dir)}` });
  const { SiteRefused } = await import('../features/publishing/deploys/collect-site.js');
  const { readFolder } = await import('../features/publishing/deploys/read-folder.js');
  try {
    return await readFolder(dir);
  } catch (error) {
    if (error instanceof SiteRefused) throw invalidRequest({ field: 'dir', message: error.reason });
    throw error;
  }
}

function toRow(deploy: Deploy, isLive: boolean): Row {
  return {
    id: deploy.id,
    number: deploy.number,
    state: deploy.state,
    live: isLive ? 'yes' : 'no',
    files: deploy.fileCount ?? null,
    bytes: deploy.sizeBytes ?? null,
    createdAt: deploy.createdAt.toISOString(),
    message: deploy.message ?? null,
    problem: deploy.problem ?? null,
  };
}
