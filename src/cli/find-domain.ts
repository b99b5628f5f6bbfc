import type { CommandServices } from '../app/command-services.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import { ApiError } from '../lib/errors.js';
import { chooseProject, findProject } from './choose-project.js';

/** Arguments for Command.argument(): the argument that findDomain receives. */
export const DOMAIN_ARGUMENT = [
  '<domain>',
  'the domain: its name or its id, as `domains list` shows them',
] as const;

/**
 * Finds a domain by its id or name. Several projects can add the same name, but only one can hold it: without a
 * project, the name means the holder's domain.
 * @throws ApiError not_found; invalid_request; precondition_failed without PLATFORM_HOST
 */
export async function findDomain(
  services: CommandServices,
  text: string,
  projectText: string | undefined,
): Promise<Domain> {
  const service = requireDomains(services.customerDomains?.service);
  const project = projectText === undefined ? undefined : await findProject(services, projectText);
  if (!text.includes('.')) {
    const domain = await service.get(text);
    if (project === undefined || domain.projectId === project.id) return domain;
    throw new ApiError('not_found', `There is no domain with the id ${text} in ${project.name}.`);
  }
  const name = text.toLowerCase();
  const holder = project === undefined ? await services.customerDomains?.store.holderOf(name) : undefined;
  if (holder !== undefined && !holder.isPlatform) return holder;
  const { id, name: projectName } = project ?? (await chooseProject(services, undefined));
  const found = (await service.ofProject(id)).find((domain) => domain.name === name);
  if (found === undefined)
    throw new ApiError('not_found', `There is no domain with the name ${name} in ${projectName}.`);
  return found;
}
