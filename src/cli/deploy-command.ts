import { createReadStream, existsSync, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import {
  SITE_TEMPLATES,
  type Deploy,
  type FileContent,
  type SiteTemplate,
} from '../features/publishing/deploys/deploy.js';
import type { CommandServices } from '../app/command-services.js';
import { ApiError, invalidRequest } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { printRow, printRows, type Row } from './output.js';

interface DeployOptions extends ProjectOption {
  template?: SiteTemplate;
  message?: string;
  spa?: boolean;
}

/** How many deploys to list at most. More than are kept with the default DEPLOYS_KEPT of 10. */
const LISTED = 100;
const NO_ADDRESS = 'unknown: to see it, set PUBLIC_URL and PLATFORM_HOST for this command';

export function deployCommand(): Command {
  return new Command('deploy')
    .description('publish a folder of static files as the site of a project')
    .argument(
      '[dir]',
      'the folder, with an index.html in it, or a .tar.gz file of its content. Omit it with --template',
    )
    .option(...PROJECT_OPTION)
    .addOption(new Option('--template <name>', 'publish a built-in site').choices(SITE_TEMPLATES))
    .option('--message <text>', 'a note about this deploy')
    .option('--spa', 'a single-page application: addresses without a file show index.html')
    .action((dir: string | undefined, options: DeployOptions, command: Command) => {
      const { project: projectId, template, message, spa } = options;
      if ((dir === undefined) === (template === undefined))
        throw invalidRequest({ field: 'dir', message: 'name a folder or use --template, one of the two' });
      return withServices(command, async (services, output, change) => {
        const project = await chooseProject(services, projectId);
        const input = { projectId: project.id, message, spa };
        const deploy =
          dir === undefined
            ? await change.createDeploy({ ...input, template })
            : await change.deploySite(input, await contentsOf(dir));
        const site = await services.customerDomains?.platformHosts.siteOf(project);
        printRow(output, {
          ...toRow(deploy, true),
          spa: deploy.spa,
          site: site?.url ?? (output.json ? null : NO_ADDRESS),
        });
      });
    });
}

export function deploysCommand(): Command {
  const deploys = new Command('deploys').description('list and roll back deploys');

  deploys
    .command('list')
    .description('list the deploys of a project, newest first')
    .option(...PROJECT_OPTION)
    .action(({ project: projectId }: ProjectOption, command: Command) =>
      withServices(command, async (services, output) => {
        const { id, liveDeployId } = await chooseProject(services, projectId);
        const page = await services.deploys.page(id, LISTED, undefined);
        printRows(
          output,
          page.deploys.map((deploy) => toRow(deploy, deploy.id === liveDeployId)),
          'There are no deploys yet.',
        );
      }),
    );

  deploys
    .command('rollback')
    .description('make another deploy live: an earlier or a later one')
    .argument('<deploy>', 'the id of the deploy, or its number in the project, as `deploys list` shows them')
    .option(...PROJECT_OPTION)
    .action((text: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id, projectId } = await findDeploy(services, text, project);
        printRow(output, toRow(await change.rollbackDeploy(projectId, id), true));
      }),
    );
  return deploys;
}

/** Finds a deploy by its id, or by its number in a project. @throws ApiError not_found; invalid_request */
async function findDeploy(
  services: CommandServices,
  text: string,
  projectText: string | undefined,
): Promise<Deploy> {
  if (!/^\d{1,10}$/.test(text)) return services.deploys.get(text);
  const { id, name } = await chooseProject(services, projectText);
  const { deploys } = await services.deploys.page(id, LISTED, undefined);
  const found = deploys.find(({ number }) => number === Number(text));
  if (found === undefined)
    throw new ApiError('not_found', `There is no deploy with the number ${text} in ${name}.`);
  return found;
}

/** Reads all files of a folder or an archive before anything changes. */
async function contentsOf(dir: string): Promise<FileContent[]> {
  if (!existsSync(dir))
    throw invalidRequest({
      field: 'dir',
      message: `there is no folder and no .tar.gz file ${JSON.stringify(dir)}`,
    });
  const { SiteRefused } = await import('../features/publishing/deploys/collect-site.js');
  try {
    return await (statSync(dir).isDirectory() ? filesOfFolder(dir) : filesOfArchive(dir));
  } catch (error) {
    if (error instanceof SiteRefused) throw invalidRequest({ field: 'dir', message: error.reason });
    throw error;
  }
}

async function filesOfFolder(folder: string): Promise<FileContent[]> {
  const { readFolder } = await import('../features/publishing/deploys/read-folder.js');
  return readFolder(folder);
}

async function filesOfArchive(file: string): Promise<FileContent[]> {
  const { readArchive, receiveArchive } = await import('../features/publishing/deploys/read-archive.js');
  return readArchive(await receiveArchive(createReadStream(file) as AsyncIterable<Buffer>));
}

function toRow(deploy: Deploy, isLive: boolean): Row {
  return {
    id: deploy.id,
    number: deploy.number,
    state: deploy.state,
    live: isLive,
    files: deploy.fileCount ?? null,
    bytes: deploy.sizeBytes ?? null,
    createdAt: deploy.createdAt,
    message: deploy.message ?? null,
    problem: deploy.problem ?? null,
    notLiveReason: deploy.notLiveReason ?? null,
  };
}
