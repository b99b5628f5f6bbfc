import { Command } from 'commander';
import { DEFAULT_REDIRECT_STATUS } from '../features/projects/redirects.js';
import type { Project } from '../features/projects/project.js';
import { wholeNumber } from './arguments.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { withServices } from './context.js';
import { printRows, type Output } from './output.js';

/** Each command prints the resulting redirects of the project. */
export function redirectCommands(): Command[] {
  const redirect = new Command('redirect')
    .description('redirect a domain of a project to another of its domains, with path and query')
    .argument('<from>', 'a domain of the project, or its platform host')
    .argument('<to>', 'another one of them, which the gateway serves')
    .option('--status <status>', '301, 302, 307 or 308', wholeNumber, DEFAULT_REDIRECT_STATUS)
    .option(...PROJECT_OPTION)
    .action((from: string, to: string, options: ProjectOption & { status: number }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await chooseProject(services, options.project);
        printRedirects(output, await change.setRedirect(id, { from, to, status: options.status }));
      }),
    );

  const unredirect = new Command('unredirect')
    .description('remove the redirect from a domain')
    .argument('<from>', 'the domain that redirects')
    .option(...PROJECT_OPTION)
    .action((from: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await chooseProject(services, project);
        printRedirects(output, await change.removeRedirect(id, from));
      }),
    );

  const redirects = new Command('redirects')
    .description('list the redirects of a project')
    .option(...PROJECT_OPTION)
    .action(({ project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output) =>
        printRedirects(output, await chooseProject(services, project)),
      ),
    );
  return [redirect, unredirect, redirects];
}

function printRedirects(output: Output, { redirects = [] }: Project): void {
  printRows(
    output,
    redirects.map(({ from, to, status }) => ({ from, to, status })),
    'There are no redirects.',
  );
}
