import { ApiError, invalidRequest } from '../lib/errors.js';
import type { Project } from '../features/projects/project.js';
import type { CommandServices } from '../app/command-services.js';

/** Arguments for Command.option(): the option that chooseProject receives. */
export const PROJECT_OPTION = [
  '--project <project>',
  'which project, by its id or slug; may be left out while there is one',
] as const;

const MAX_NAMED = 5;

export interface ProjectOption {
  project?: string;
}

/** Finds a project by its id or slug. Ids contain an underscore, slugs never do. @throws ApiError not_found */
export async function findProject(
  { projects }: Pick<CommandServices, 'projects'>,
  idOrSlug: string,
): Promise<Project> {
  if (idOrSlug.includes('_')) return projects.get(idOrSlug);
  const found = await projects.getBySlug(idOrSlug.toLowerCase());
  if (found === undefined) throw new ApiError('not_found', `There is no project with the slug ${idOrSlug}.`);
  return found;
}

/** The named project, or the only project if none is named. @throws ApiError not_found; invalid_request */
export async function chooseProject(
  services: Pick<CommandServices, 'projects'>,
  idOrSlug: string | undefined,
): Promise<Project> {
  if (idOrSlug !== undefined) return findProject(services, idOrSlug);
  const page = await services.projects.page({ first: MAX_NAMED + 1, filter: {} });
  const all = page.entries.map(({ project }) => project);
  const [only] = all;
  if (only === undefined)
    throw invalidRequest({
      field: 'projectId',
      message: 'there is no project yet: make one with `pets-gateway projects create <name>`',
    });
  if (all.length > 1)
    throw invalidRequest({ field: 'projectId', message: `say which of the projects: ${namesOf(all)}` });
  return only;
}

function namesOf(projects: readonly Project[]): string {
  const named = projects.slice(0, MAX_NAMED).map(({ id, slug, name }) => `${slug ?? id} (${name})`);
  return (projects.length > MAX_NAMED ? [...named, '…'] : named).join(', ');
}
