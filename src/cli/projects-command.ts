import { Command, Option } from 'commander';
import { SITE_ANIMALS, type Project, type SiteAnimals } from '../features/projects/project.js';
import { PETS_OF_DELETED, type PetsOfDeleted } from '../features/projects/project-removals.js';
import {
  CUSTOM_QUOTA_PLANS,
  DEFAULT_PLAN,
  LIMITS,
  PLAN_IDS,
  PLANS,
  quotaOfPlan,
  type CustomQuota,
  type PlanId,
} from '../features/plans/plans.js';
import type { WindowName } from '../features/plans/window.js';
import { ApiError } from '../lib/errors.js';
import { confirmByTyping } from './confirm.js';
import { withServices } from './context.js';
import { wholeNumber } from './arguments.js';
import { findProject, PROJECT_ARGUMENT } from './choose-project.js';
import { printRow, type Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

type QuotaOptions = { [Window in WindowName as `per${Capitalize<Window>}`]?: number };

/** For each limit, the option that sets it, and its name as an attribute. */
const LIMIT_OPTIONS = Object.entries(LIMITS).map(([window, field]) => {
  const option = new Option(`--per-${window} <n>`, `requests per ${window} (${CUSTOM_QUOTA_PLANS})`);
  const name = option.attributeName() as keyof QuotaOptions;
  return { field, option: option.argParser(wholeNumber), flag: `--per-${window}`, name };
});
const FLAGS = LIMIT_OPTIONS.map(({ flag }) => flag).join(' and ');

interface CreateOptions extends QuotaOptions {
  plan: PlanId;
  name?: string;
}

export function projectsCommand(): Command {
  const projects = new Command('projects').description('create, list, change and delete projects');

  withLimit(projects.command('list').description('list all projects, oldest first')).action(
    (options: ListOptions, command: Command) =>
      withServices(command, (services, output) =>
        printList(output, options, (first, after) => services.projects.page({ first, after, filter: {} }), {
          toRow: ({ project }) => toRow(project),
          emptyMessage: 'There are no projects yet.',
        }),
      ),
  );

  projects
    .command('show')
    .description('show one project, with its site and its active keys')
    .argument('<project>', PROJECT_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output) => {
        const project = await findProject(services, text);
        const [activeKeys = 0] = await services.apiKeys.countActive([project.id]);
        const site = await services.customerDomains?.platformHosts.siteOf(project);
        printRow(output, {
          ...toRow(project),
          activeKeys,
          liveDeploy: project.liveDeployId ?? null,
          site: site?.url ?? null,
          primaryDomain: project.primaryDomain ?? null,
        });
      }),
    );

  withQuotaOptions(
    projects
      .command('create')
      .description('create a project')
      .argument('[name]', 'the name of the project, in quotation marks if it has spaces')
      // As `keys create` has it.
      .addOption(new Option('--name <name>').hideHelp())
      .addOption(
        new Option('--plan <plan>', 'the plan of the project').choices(PLAN_IDS).default(DEFAULT_PLAN),
      ),
  ).action((argument: string | undefined, options: CreateOptions, command: Command) =>
    withServices(command, async (_services, output, change) => {
      const { plan } = options;
      const name = nameOf(argument, options.name);
      const customQuota = customQuotaOf(plan, options);
      printRow(output, toRow(await change.createProject({ name, plan, customQuota })));
    }),
  );

  projects
    .command('rename')
    .description('change the name of a project; its slug and the address of its site stay')
    .argument('<project>', PROJECT_ARGUMENT)
    .argument('<name>', 'the new name')
    .action((text: string, name: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await findProject(services, text);
        printRow(output, toRow(await change.updateProject(id, { name })));
      }),
    );

  projects
    .command('site-animals')
    .description("choose which animals a project's site shows: its own, or those of all projects")
    .argument('<project>', PROJECT_ARGUMENT)
    .addArgument(
      projects
        .createArgument('<animals>', 'own: the animals of the project; all: all animals')
        .choices(SITE_ANIMALS),
    )
    .action((text: string, siteAnimals: SiteAnimals, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await findProject(services, text);
        printRow(output, toRow(await change.updateProject(id, { siteAnimals })));
      }),
    );

  withQuotaOptions(
    projects
      .command('plan')
      .description('change the plan of a project; the counted requests stay counted')
      .argument('<project>', PROJECT_ARGUMENT)
      .addArgument(projects.createArgument('<plan>', 'the new plan').choices(PLAN_IDS)),
  ).action((text: string, plan: PlanId, options: QuotaOptions, command: Command) =>
    withServices(command, async (services, output, change) => {
      const { id } = await findProject(services, text);
      printRow(output, toRow(await change.changePlan(id, plan, customQuotaOf(plan, options))));
    }),
  );

  projects
    .command('delete')
    .description('delete a project permanently, with its keys, animals, site and domains')
    .argument('<project>', PROJECT_ARGUMENT)
    .addOption(
      new Option('--pets <what>', 'what becomes of its animals: delete them, or keep them in the catalogue')
        .choices(PETS_OF_DELETED)
        .default('delete'),
    )
    .option('--yes', 'delete without asking for confirmation')
    .action((text: string, { yes = false, pets }: { yes?: boolean; pets: PetsOfDeleted }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id, name } = await findProject(services, text);
        if (!yes)
          await confirmByTyping(`Type ${JSON.stringify(name)} to delete the project permanently: `, name);
        await change.deleteProject(id, name, pets);
        await services.removals.removeDue();
        printRow(output, { id, name, state: 'deleted' });
      }),
    );
  return projects;
}

function withQuotaOptions(command: Command): Command {
  for (const { option } of LIMIT_OPTIONS) command.addOption(option);
  return command;
}

/** @throws ApiError invalid_request if there is no name, or two different ones */
function nameOf(argument: string | undefined, option = argument): string {
  const name = argument ?? option;
  if (name === undefined || name !== option)
    throw new ApiError(
      'invalid_request',
      'Give the project one name, for example: pets-gateway projects create "Happy Tails"',
    );
  return name;
}

/** @throws ApiError invalid_request if the plan requires a custom quota and a number is missing, or takes none */
function customQuotaOf(plan: PlanId, options: QuotaOptions): CustomQuota | undefined {
  const { name, quota } = PLANS[plan];
  const given = LIMIT_OPTIONS.filter((limit) => options[limit.name] !== undefined);
  if (quota !== 'custom') {
    if (given.length === 0) return undefined;
    throw new ApiError(
      'invalid_request',
      `The ${name} plan has a fixed quota. Remove ${FLAGS}, or use the plan ${CUSTOM_QUOTA_PLANS}.`,
    );
  }
  if (given.length < LIMIT_OPTIONS.length)
    throw new ApiError(
      'invalid_request',
      `The ${name} plan requires ${FLAGS}, for example: ${LIMIT_OPTIONS.map(({ flag }, i) => `${flag} ${5000 * 200 ** i}`).join(' ')}`,
    );
  return Object.fromEntries(given.map(({ field, name }) => [field, options[name]])) as unknown as CustomQuota;
}

function toRow(project: Project): Row {
  const quota = quotaOfPlan(project);
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    plan: project.plan,
    ...Object.fromEntries(LIMIT_OPTIONS.map(({ name, field }) => [name, quota[field]])),
    maxKeys: PLANS[project.plan].maxApiKeys,
    siteAnimals: project.siteAnimals ?? 'own',
    createdAt: project.createdAt,
  };
}
