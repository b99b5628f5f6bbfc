import { Command, Option } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditRecord } from '../features/audit/audit-record.js';
import type { AuditQuery } from '../features/audit/audit-store.js';
import { date, endOf } from './arguments.js';
import { findProject } from './choose-project.js';
import { withServices } from './context.js';
import { findKeyId } from './find-key.js';
import type { Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

interface AuditOptions extends ListOptions {
  project?: string;
  key?: string;
  actor?: string;
  action?: AuditAction;
  from?: Date;
  to?: Date;
}

const GATEWAY = 'gateway';

export function auditCommand(): Command {
  return withLimit(
    new Command('audit')
      .description('list who changed what, newest first')
      .option('--project <project>', 'only changes in this project: its id, slug or name')
      .option('--key <key>', 'only changes of this key: its id or name')
      .option(
        '--actor <actor>',
        `only changes made by this actor: the id or name of a key, a user such as alice@web-1, or ${GATEWAY}`,
      )
      .addOption(new Option('--action <action>', 'only changes of this kind').choices(AUDIT_ACTIONS))
      .option('--from <date>', 'the first day or time', date)
      .option('--to <date>', 'the last day, included, or a time', endOf),
  ).action((options: AuditOptions, command: Command) =>
    withServices(command, async (services, output) => {
      const query = await queryOf(services, options);
      const readPage = async (first: number, beforeId: string | undefined) => {
        const page = await services.audit.list({ ...query, first, ...(beforeId && { beforeId }) });
        return {
          hasMore: page.hasMore,
          entries: page.records.map((record) => ({ record, cursor: record.id })),
        };
      };
      await printList(output, options, readPage, {
        toRow: ({ record }) => toRow(record),
        toJson: ({ record }) => record,
        emptyMessage: 'There are no changes that match.',
      });
    }),
  );
}

async function queryOf(
  services: CommandServices,
  { project, key, actor, action, from, to }: AuditOptions,
): Promise<Omit<AuditQuery, 'first' | 'beforeId'>> {
  return {
    target: {
      projectId: project === undefined ? undefined : await projectIdOf(services, project),
      apiKeyId: key === undefined ? undefined : await findKeyId(services, key),
    },
    ...(actor !== undefined && (await actorOf(services, actor))),
    action,
    from,
    to,
  };
}

/** Does not look up an id, because the log also has changes of deleted projects. */
async function projectIdOf(services: CommandServices, text: string): Promise<string> {
  return text.startsWith('proj_') ? text : (await findProject(services, text)).id;
}

async function actorOf(services: CommandServices, text: string): Promise<Partial<AuditQuery>> {
  if (text === GATEWAY) return { actorRole: GATEWAY };
  return text.includes('@') ? { actorSystemUser: text } : { actorKeyId: await findKeyId(services, text) };
}

function toRow(record: AuditRecord): Row {
  const { at, actor, action, target } = record;
  return {
    at,
    actor: actor.keyId ?? actor.systemUser ?? actor.role,
    action,
    project: target.projectId ?? null,
    key: target.apiKeyId ?? null,
    changes: changesOf(record),
  };
}

/** The values that differ: `plan free → pro`. */
function changesOf({ before = {}, after }: AuditRecord): string | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => (before[name] ?? null) !== (after[name] ?? null));
  const texts = changed.map((name) =>
    before[name] == null
      ? `${name} ${String(after[name])}`
      : `${name} ${String(before[name])} → ${String(after[name] ?? 'none')}`,
  );
  return texts.length === 0 ? null : texts.join(', ');
}
