import { Command, Option } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import {
  ACTOR_ROLES,
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditRecord,
} from '../features/audit/audit-record.js';
import { EXPORT_FORMATS, type ExportedRecord } from '../features/audit/audit-export.js';
import { changesOf } from '../features/audit/changes.js';
import type { AuditQuery } from '../features/audit/audit-store.js';
import { date, endOf } from './arguments.js';
import { findProject } from './choose-project.js';
import { withServices } from './context.js';
import { findKeyId } from './find-key.js';
import { auditNames, type AuditNames } from './audit-names.js';
import type { Output, Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

interface AuditOptions extends ListOptions {
  project?: string;
  key?: string;
  actor?: string;
  action?: AuditAction;
  from?: Date;
  to?: Date;
  csv?: boolean;
  ndjson?: boolean;
}

const EXPORT_PAGE = 100;

export function auditCommand(): Command {
  return withLimit(
    new Command('audit')
      .description('list who changed what, newest first')
      .option('--project <project>', 'only changes in this project: its id, slug or name')
      .option('--key <key>', 'only changes of this key: its id or name')
      .option(
        '--actor <actor>',
        `only changes made by this actor: the id or name of a key, a user such as alice@web-1, or ${ACTOR_ROLES.join(', ')}`,
      )
      .addOption(new Option('--action <action>', 'only changes of this kind').choices(AUDIT_ACTIONS))
      .option('--from <date>', 'the first day or time', date)
      .option('--to <date>', 'the last day, included, or a time', endOf)
      .addOption(new Option('--csv', 'print CSV, a line for each change').conflicts('ndjson'))
      .option('--ndjson', 'print a JSON object on a line for each change'),
  ).action((options: AuditOptions, command: Command) =>
    withServices(command, async (services, output) => {
      const query = await queryOf(services, options);
      const nameAll = auditNames(services);
      const readPage = async (first: number, beforeId: string | undefined) => {
        const page = await services.audit.list({ ...query, first, ...(beforeId && { beforeId }) });
        const names = await nameAll(page.records);
        return {
          hasMore: page.hasMore,
          entries: page.records.map((record) => ({ record, names: names(record), cursor: record.id })),
        };
      };
      if (options.csv === true || options.ndjson === true) {
        await exportAll(output, options, readPage);
        return;
      }
      await printList(output, options, readPage, {
        toRow: ({ record, names }) => toRow(record, names),
        toJson: ({ record, names }) => ({ ...record, names }),
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
  const role = ACTOR_ROLES.find((known) => known === text);
  if (role !== undefined) return { actorRole: role };
  return text.includes('@') ? { actorSystemUser: text } : { actorKeyId: await findKeyId(services, text) };
}

function toRow(record: AuditRecord, names: AuditNames): Row {
  const { at, actor, action, target } = record;
  return {
    at,
    actor: names.actor ?? actor.keyId ?? actor.systemUser ?? actor.role,
    action,
    project: names.project ?? target.projectId ?? null,
    key: names.apiKey ?? target.apiKeyId ?? null,
    pet: target.petId ?? null,
    changes: wordsOf(record),
  };
}

interface Entry {
  record: AuditRecord;
  names: AuditNames;
}

/** Prints each page as it is read: an export of a large log takes no more memory than a page. */
async function exportAll(
  { write }: Output,
  { csv = false, limit = Infinity }: AuditOptions,
  readPage: (
    first: number,
    beforeId: string | undefined,
  ) => Promise<{ hasMore: boolean; entries: (Entry & { cursor: string })[] }>,
): Promise<void> {
  const { head, lineOf } = EXPORT_FORMATS[csv ? 'csv' : 'ndjson'];
  write(head);
  let left = limit;
  let page: Awaited<ReturnType<typeof readPage>> | undefined;
  do {
    page = await readPage(Math.min(EXPORT_PAGE, left), page?.entries.at(-1)?.cursor);
    left -= page.entries.length;
    write(page.entries.map((entry) => lineOf(toExported(entry))).join(''));
  } while (page.hasMore && left > 0);
}

function toExported({ record, names }: Entry): ExportedRecord {
  const { id, at, action, actor, target } = record;
  return {
    id,
    at: at.toISOString(),
    action,
    actorRole: actor.role,
    actorName: names.actor ?? null,
    actorKeyId: actor.keyId ?? null,
    actorSystemUser: actor.systemUser ?? null,
    projectName: names.project ?? null,
    projectId: target.projectId ?? null,
    apiKeyName: names.apiKey ?? null,
    apiKeyId: target.apiKeyId ?? null,
    petId: target.petId ?? null,
    changes: changesOf(record),
  };
}

/** `plan free → pro`; null if nothing differs. */
function wordsOf(record: AuditRecord): string | null {
  const texts = changesOf(record).map(
    ({ property, before, after }) => `${property} ${before === null ? '' : `${before} → `}${after ?? 'none'}`,
  );
  return texts.length === 0 ? null : texts.join(', ');
}
