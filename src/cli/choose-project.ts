import { ApiError, invalidRequest } from '../lib/errors.js';
import type { Project } from '../features/projects/project.js';
import type { CommandServices } from '../app/command-services.js';
import { findByName } from './find-by-name.js';
import { ENOUGH_TO_NAME, nameSome } from './name-some.js';

/** Arguments for Command.option(): the option that chooseProject receives. */
export const PROJECT_OPTION = [
  '--project <project>',
  'the project: its id, slug or name. You can omit it if there is only one project',
] as const;
/** The description of an argument that findProject receives. */
export const PROJECT_ARGUMENT = 'the id, slug or name of the project';

export interface ProjectOption {
  project?: string;
}

/**
 * Finds a project by its id, slug or exact name.
 * @throws ApiError not_found; invalid_request if several projects have this name
 */
export async function findProject(
  { projects }: Pick<CommandServices, 'projects'>,
  text: string,
): Promise<Project> {
  if (text.startsWith('proj_')) return projects.get(text);
  const bySlug = await projects.getBySlug(text.toLowerCase());
  if (bySlug !== undefined) return bySlug;
  const byName = await findByName(text, async (after) => {
    const page = await projects.page({ first: 100, after, filter: { nameContains: text } });
    return { ...page, entries: page.entries.map(({ project, cursor }) => ({ found: project, cursor })) };
  });
  if (byName === undefined)
    throw new ApiError('not_found', `There is no project with the slug or name ${text}.`);
  return byName;
}

/** A project in a list to choose from. */
export function slugAndName({ slug, name }: Pick<Project, 'slug' | 'name'>): string {
  return `${slug} (${name})`;
}

/** The given project, or the only project if none is given. @throws ApiError not_found; invalid_request */
export async function chooseProject(
  services: Pick<CommandServices, 'projects'>,
  text: string | undefined,
): Promise<Project> {
  if (text !== undefined) return findProject(services, text);
  const page = await services.projects.page({ first: ENOUGH_TO_NAME, filter: {} });
  const all = page.entries.map(({ project }) => project);
  const [only] = all;
  if (only === undefined)
    throw invalidRequest({
      field: 'projectId',
      message: 'there is no project yet. Create one with `pets-gateway projects create <name>`',
    });
  if (all.length > 1)
    throw invalidRequest({
      field: 'projectId',
      message: `choose one of the projects: ${nameSome(all.map(slugAndName))}`,
    });
  return only;
}
