import { invalidRequest } from '../lib/errors.js';
import type { Project } from '../projects/project.js';
import type { Services } from '../services.js';

/** For Command.option(): what chooseProject is then given. */
export const PROJECT_OPTION = [
  '--project <projectId>',
  'which project; may be left out while there is one',
] as const;

const MAX_NAMED = 5;

export interface ProjectOption {
  project?: string;
}

/** The project that was named, or the only one there is. @throws ApiError not_found; invalid_request */
export async function chooseProject(
  { projects }: Pick<Services, 'projects'>,
  projectId: string | undefined,
): Promise<Project> {
  if (projectId !== undefined) return projects.get(projectId);
  const all = await projects.list();
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
  const named = projects.slice(0, MAX_NAMED).map(({ id, name }) => `${id} (${name})`);
  return (projects.length > MAX_NAMED ? [...named, '…'] : named).join(', ');
}
