import { invalidRequest } from '../lib/errors.js';
import type { Project } from '../projects/project.js';
import type { Services } from '../services.js';

/** For Command.option(): what chooseProject is then given. */
export const PROJECT_OPTION = [
  '--project <projectId>',
  'which project; may be left out while there is one',
] as const;

export interface ProjectOption {
  project?: string;
}

/** The project that was named, or the only one there is. @throws ApiError not_found; invalid_request */
export async function chooseProject(
  { projects }: Pick<Services, 'projects'>,
  projectId: string | undefined,
): Promise<Project> {
  if (projectId !== undefined) return projects.get(projectId);
  const [only, second] = await projects.list();
  if (only === undefined || second !== undefined)
    throw invalidRequest({
      field: 'projectId',
      message: only === undefined ? 'there is no project yet' : 'say which of the projects',
    });
  return only;
}
