import type { CommandServices } from '../app/command-services.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import { requireDomains } from '../features/publishing/domains/require-domains.js';
import type { DomainName } from '../features/publishing/domains/domain-name.js';
import { ApiError, invalidRequest } from '../lib/errors.js';
import { findProject, slugAndName } from './choose-project.js';
import { ENOUGH_TO_NAME, nameSome } from './name-some.js';

/** Arguments for Command.argument(): the argument that findDomain receives. */
export const DOMAIN_ARGUMENT = [
  '<domain>',
  'the domain: its name or its id, as `domains list` shows them',
] as const;

/**
 * Finds a domain by its id or name. Several projects can add the same name, but only one can hold it: without a
 * project, the name means the holder's domain, or else the only one of this name.
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
  const parsed = service.parseName(text);
  const found =
    project === undefined
      ? await findInAnyProject(services, parsed)
      : (await service.ofProject(project.id)).find(({ name }) => name === parsed.name);
  if (found !== undefined) return found;
  const where = project === undefined ? '' : ` in ${project.name}`;
  throw new ApiError('not_found', `There is no domain with the name ${parsed.name}${where}.`);
}

/** @throws ApiError invalid_request if several projects have the name and none of them holds it */
async function findInAnyProject(services: CommandServices, parsed: DomainName): Promise<Domain | undefined> {
  const store = services.customerDomains?.store;
  const holder = await store?.holderOf(parsed.name);
  if (holder !== undefined && !holder.isPlatform) return holder;
  const found = (await store?.named(parsed, ENOUGH_TO_NAME)) ?? [];
  if (found.length <= 1) return found[0];
  const projects = await Promise.all(found.map(({ projectId }) => services.projects.get(projectId)));
  throw invalidRequest({
    field: 'projectId',
    message: `several projects have ${parsed.name}. Choose one of them: ${nameSome(projects.map(slugAndName))}`,
  });
}
