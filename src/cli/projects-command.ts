import { Command, Option } from 'commander';
import type { Project } from '../features/projects/project.js';
import {
  CUSTOM_QUOTA_PLANS,
  DEFAULT_PLAN,
  PLAN_IDS,
  PLANS,
  quotaOfPlan,
  type CustomQuota,
  type PlanId,
} from '../features/plans/plans.js';
import { confirmByTyping } from './confirm.js';
import { withServices } from './context.js';
import { wholeNumber } from './arguments.js';
import { findProject } from './choose-project.js';
import { printRow, type Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

interface QuotaOptions {
  perMinute?: number;
  perDay?: number;
}

export function projectsCommand(): Command {
  const projects = new Command('projects').description('projects: who uses the API, on which plan');

  withLimit(projects.command('list').description('all projects, oldest first')).action(
    (options: ListOptions, command: Command) =>
      withServices(command, (services, output) =>
        printList(output, options, (first, after) => services.projects.page({ first, after, filter: {} }), {
          toRow: ({ project }) => toRow(project),
          emptyMessage: 'There is no project yet.',
        }),
      ),
  );

  withQuotaOptions(
    projects
      .command('create')
      .description('make a project')
      .argument('<name>', 'what people know it by')
      .addOption(new Option('--plan <plan>', 'its plan').choices(PLAN_IDS).default(DEFAULT_PLAN)),
  ).action((name: string, options: QuotaOptions & { plan: PlanId }, command: Command) =>
    withServices(command, async (_services, output, change) => {
      const customQuota = customQuotaOf(options);
      printRow(output, toRow(await change.createProject({ name, plan: options.plan, customQuota })));
    }),
  );

  withQuotaOptions(
    projects
      .command('plan')
      .description("change a project's plan; what was counted stays counted")
      .argument('<project>', 'its id or slug')
      .addArgument(projects.createArgument('<plan>').choices(PLAN_IDS)),
  ).action((idOrSlug: string, plan: PlanId, options: QuotaOptions, command: Command) =>
    withServices(command, async (services, output, change) => {
      const { id } = await findProject(services, idOrSlug);
      printRow(output, toRow(await change.changePlan(id, plan, customQuotaOf(options))));
    }),
  );

  projects
    .command('delete')
    .description('delete a project for good, with its keys, site and domains')
    .argument('<project>', 'its id or slug')
    .option('--yes', 'do not ask')
    .action((idOrSlug: string, { yes = false }: { yes?: boolean }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id, name } = await findProject(services, idOrSlug);
        if (!yes) await confirmByTyping(`Type ${JSON.stringify(name)} to delete it for good: `, name);
        await change.deleteProject(id, name);
        await services.removals.removeDue();
        printRow(output, { id, name, state: 'deleted' });
      }),
    );
  return projects;
}

function withQuotaOptions(command: Command): Command {
  return command
    .option('--per-minute <n>', `requests per minute (${CUSTOM_QUOTA_PLANS})`, wholeNumber)
    .option('--per-day <n>', `requests per day (${CUSTOM_QUOTA_PLANS})`, wholeNumber);
}

/** The custom quota needs both numbers. A missing number becomes 0, which the service rejects. */
function customQuotaOf({ perMinute, perDay }: QuotaOptions): CustomQuota | undefined {
  if (perMinute === undefined && perDay === undefined) return undefined;
  return { requestsPerMinute: perMinute ?? 0, requestsPerDay: perDay ?? 0 };
}

function toRow(project: Project): Row {
  const { requestsPerMinute, requestsPerDay } = quotaOfPlan(project);
  return {
    id: project.id,
    name: project.name,
    slug: project.slug ?? null,
    plan: project.plan,
    perMinute: requestsPerMinute,
    perDay: requestsPerDay,
    maxKeys: PLANS[project.plan].maxApiKeys,
    createdAt: project.createdAt.toISOString(),
  };
}
