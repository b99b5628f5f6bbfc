import type { CommandServices } from '../app/command-services.js';
import type { AuditRecord } from '../features/audit/audit-record.js';
import { CONFIGURED_ADMIN_KEY_ID } from '../features/keys/authenticator.js';

/** The names of what a record names by id. Undefined if there is no id, or no name is known. */
export interface AuditNames {
  actor?: string | undefined;
  project?: string | undefined;
  apiKey?: string | undefined;
}

/**
 * Returns a function that reads the names for a page of records: names of today, or the last name in the audit log for
 * what no longer exists. Each name is read once.
 */
export function auditNames({
  apiKeys,
  projects,
  audit,
}: Pick<CommandServices, 'apiKeys' | 'projects' | 'audit'>) {
  const known = new Map<string, string | undefined>([[CONFIGURED_ADMIN_KEY_ID, 'ADMIN_API_KEY']]);
  const nameOf = (id: string | undefined) => (id === undefined ? undefined : known.get(id));

  async function learn(ids: readonly (string | undefined)[]): Promise<void> {
    const asked = [...new Set(ids)].filter((id): id is string => id !== undefined && !known.has(id));
    const [foundKeys, foundProjects] = await Promise.all([
      apiKeys.getMany(asked.filter((id) => id.startsWith('key_'))),
      projects.getMany(asked.filter((id) => id.startsWith('proj_'))),
    ]);
    for (const { id, name } of [...foundKeys, ...foundProjects]) known.set(id, name);
    const gone = asked.filter((id) => !known.has(id));
    const names = await audit.namesOf(gone);
    for (const id of gone) known.set(id, names.get(id));
  }

  return async (records: readonly AuditRecord[]): Promise<(record: AuditRecord) => AuditNames> => {
    await learn(records.flatMap(({ actor, target }) => [actor.keyId, target.projectId, target.apiKeyId]));
    return ({ actor, target }) => ({
      actor: nameOf(actor.keyId),
      project: nameOf(target.projectId),
      apiKey: nameOf(target.apiKeyId),
    });
  };
}
