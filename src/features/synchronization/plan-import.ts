import { withNoun } from '../../lib/with-noun.js';
import { fieldsOf, isSamePet, type Pet, type PetStatus } from '../pets/pet.js';
import type { PetsStore } from '../pets/pets-store.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import { firstRejections, NO_COUNTS, type PetsImport } from './pets-import.js';
import type {
  FileRead,
  ImportPlan,
  PetsImportsStore,
  PlannedWrite,
  StoredRow,
} from './pets-imports-store.js';

export interface PlanParts {
  imports: PetsImportsStore;
  pets: Pick<PetsStore, 'reserveIds'>;
}

/** Called between two batches. @throws to end the work */
export type GoOn = () => Promise<void>;

/** Carries out a write of the plan, if the run still has the import. @throws to end the work */
export type InStep = (write: () => Promise<void>) => Promise<void>;

const AT_ONCE = 500;

/**
 * Compares the file with the project's animals, and stores what each row is to change. Nothing changes before that is
 * complete. Until the first write it can be done again, and then replaces the earlier plan.
 */
export async function planImport(
  petsImport: PetsImport,
  file: FileRead,
  { imports, pets }: PlanParts,
  goOn: GoOn,
  inStep: InStep,
): Promise<ImportPlan> {
  const { projectId, existing } = petsImport;
  const { upload } = file;
  const counts = { ...NO_COUNTS, rejected: file.rejected };
  let rejections: Rejection[] = [...file.rejections];
  let seen = 0;

  /** The write that a row needs, or why it is rejected. A new animal gets its id later. */
  function decide(
    row: StoredRow,
    there: Pet | undefined,
  ): PlannedWrite | 'add' | { reason: string } | undefined {
    if (there === undefined) return row.write?.kind === 'add' ? row.write : 'add';
    if (existing === 'reject')
      return { reason: `externalId: the project has an animal with the number ${row.externalId}` };
    const from = fieldsOf(there);
    const to = fieldsOf(withStatus(row, there.status));
    if (existing === 'skip' || isSamePet(from, to)) return undefined;
    return { kind: 'change', externalId: row.externalId, petId: there.id, from, to, line: row.line };
  }

  async function planRows(rows: readonly StoredRow[]): Promise<void> {
    const there = await imports.petsWith(
      projectId,
      rows.map(({ externalId }) => externalId),
    );
    const decided = rows.map((row) => ({ row, decision: decide(row, there.get(row.externalId)) }));
    const fresh = decided.filter(({ decision }) => decision === 'add').length;
    let nextId = fresh === 0 ? 0n : await pets.reserveIds(fresh);
    const planned: { externalId: string; write: PlannedWrite | undefined }[] = [];
    for (const { row, decision } of decided) {
      const { externalId, line } = row;
      if (decision === 'add') {
        const to = fieldsOf(withStatus(row, 'available'));
        planned.push({ externalId, write: { kind: 'add', externalId, petId: nextId++, to, line } });
        counts.added += 1;
      } else if (decision === undefined || 'reason' in decision) {
        if (row.write !== undefined) planned.push({ externalId, write: undefined });
        if (decision === undefined) counts.unchanged += 1;
        else {
          counts.rejected += 1;
          rejections.push({ line, reason: decision.reason });
        }
      } else if (decision.kind === 'change') {
        planned.push({ externalId, write: decision });
        counts.changed += 1;
      } else counts.added += 1;
    }
    rejections = firstRejections(rejections);
    if (planned.length > 0) await inStep(() => imports.plan(upload, planned));
  }

  /** Plans the removals, unless they are too many. Returns why none are planned. */
  async function planRemovals(): Promise<string | undefined> {
    if (counts.rejected > 0)
      return `Lines were rejected, so the file may not name all animals. Correct these lines, and import the file again.`;
    const most = petsImport.deleteAtMost ?? (await aFifth());
    let missing = 0;
    for await (const numbered of pagesOf((after) => imports.numberedPets(projectId, after, AT_ONCE))) {
      await goOn();
      const named = await imports.rowsWith(
        upload,
        numbered.map(({ externalId }) => externalId),
      );
      const unnamed = numbered.filter(({ externalId }) => !named.has(externalId));
      missing += unnamed.length;
      if (unnamed.length === 0 || missing > most) continue;
      const removals = unnamed.map((pet) => ({
        kind: 'remove' as const,
        externalId: pet.externalId,
        petId: pet.id,
        from: fieldsOf(pet),
      }));
      await inStep(() => imports.planRemovals(upload, removals));
    }
    if (missing <= most) {
      counts.removed = missing;
      return undefined;
    }
    await forgetRemovals();
    return `The file does not name ${withNoun(missing, 'animal')} of the project, and deleteAtMost is ${most}. Check that the file is complete. To remove ${missing === 1 ? 'it' : 'them all'}, import it with deleteAtMost ${missing}.`;
  }

  async function forgetRemovals(): Promise<void> {
    for await (const removals of pagesOf((after) => imports.writes(upload, ['remove'], after, AT_ONCE))) {
      await goOn();
      await inStep(() =>
        imports.forgetRemovals(
          upload,
          removals.map(({ externalId }) => externalId),
        ),
      );
    }
  }

  /** A fifth of the project's animals, or more than can be missing: those without a number can be millions. */
  async function aFifth(): Promise<number> {
    const numbered = await imports.countNumbered(projectId, Number.MAX_SAFE_INTEGER);
    return numbered === 0 ? 0 : Math.ceil((await imports.countPets(projectId, 5 * numbered)) / 5);
  }

  await forgetRemovals();
  for await (const rows of pagesOf((after) => imports.rows(upload, after, AT_ONCE))) {
    await goOn();
    seen += rows.length;
    await planRows(rows);
  }
  // Animals without their row would be removed.
  if (seen !== file.lines - file.rejected)
    throw new Error(`The import ${petsImport.id} has ${seen} rows of ${file.lines - file.rejected}.`);
  const notRemovedReason = petsImport.deleteMissing ? await planRemovals() : undefined;
  return { counts, rejections, notRemovedReason };
}

function withStatus(row: StoredRow, status: PetStatus) {
  return { ...row, status: row.status ?? status };
}

/** Reads pages of what has a number until there are no more. */
export async function* pagesOf<T extends { externalId: string }>(
  read: (after: string | undefined) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let after: string | undefined;
  for (;;) {
    const page = await read(after);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.externalId;
  }
}
