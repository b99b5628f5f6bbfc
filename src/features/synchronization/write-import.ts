import type { Clock } from '../../lib/clock.js';
import { isSamePet, type Pet } from '../pets/pet.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import { firstRejections } from './pets-import.js';
import type {
  ClaimedImport,
  ImportPlan,
  PetsImportsStore,
  PlannedWrite,
  Written,
} from './pets-imports-store.js';
import { pagesOf, type GoOn } from './plan-import.js';

export interface WriteParts {
  imports: PetsImportsStore;
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  clock: Clock;
}

/** Another process continues the import. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

/** A planned write that is not carried out. An animal to remove that `stays` was changed meanwhile. */
type Dropped = (Rejection & { kind: 'add' | 'change' }) | { kind: 'remove'; stays: boolean };

const AT_ONCE = 500;
const CHANGED = 'the animal was changed while the import ran, and keeps that change; import the file again';
const NOT_REMOVED =
  'Animals that the file does not name were changed while the import ran, and stay. Import the file again to remove them.';
const STAGES = [
  ['put', ['add', 'change']],
  ['remove', ['remove']],
] as const;

/**
 * Carries out the planned writes of an import that were not carried out yet: first what is added and changed, then what is
 * removed. Each page is one transaction that also stores how far the import has come. So no write is repeated, and what
 * others do with the animals afterwards stays.
 * @returns what became of the plan
 * @throws TakenOver
 */
export async function writeImport(
  claimed: ClaimedImport,
  planned: ImportPlan,
  { imports, transact, clock }: WriteParts,
  goOn: GoOn,
): Promise<ImportPlan> {
  const { projectId } = claimed.petsImport;
  const { upload } = claimed.file;

  async function writePage(
    writes: readonly PlannedWrite[],
    written: Written,
    plan: ImportPlan,
  ): Promise<ImportPlan> {
    const there = await imports.petsWith(
      projectId,
      writes.map(({ externalId }) => externalId),
    );
    const possible: PlannedWrite[] = [];
    const dropped: Dropped[] = [];
    for (const write of writes) {
      const reason = obstacle(write, there.get(write.externalId));
      if (reason === undefined) possible.push(write);
      else if (write.kind === 'remove') dropped.push({ kind: write.kind, stays: reason !== 'done' });
      else if (reason !== 'done') dropped.push({ kind: write.kind, line: write.line, reason });
    }
    const remaining = withoutDropped(plan, dropped);
    if (!(await imports.advance(claimed, written, remaining))) throw new TakenOver();
    await imports.addPets(
      projectId,
      possible.filter((write) => write.kind === 'add'),
      new Date(clock()),
    );
    await imports.changePets(
      projectId,
      possible.filter((write) => write.kind === 'change'),
    );
    await imports.removePets(
      projectId,
      possible.filter((write) => write.kind === 'remove').map(({ petId }) => petId),
    );
    return remaining;
  }

  let plan = planned;
  for (const [stage, kinds] of STAGES) {
    if (stage === 'put' && claimed.written?.stage === 'remove') continue;
    const from = claimed.written?.stage === stage ? claimed.written.after : undefined;
    for await (const writes of pagesOf((after) => imports.writes(upload, kinds, after ?? from, AT_ONCE))) {
      await goOn();
      const written = { stage, after: writes.at(-1)?.externalId ?? '' };
      const before = plan;
      plan = await transact(() => writePage(writes, written, before));
    }
  }
  return plan;
}

/** Why a write cannot be carried out; 'done' if there is nothing left to do. */
function obstacle(write: PlannedWrite, there: Pet | undefined): string | undefined {
  const isIt = there?.id === write.petId;
  if (write.kind === 'add') {
    if (there === undefined) return undefined;
    return isIt ? 'done' : `externalId: another import added an animal with the number ${write.externalId}`;
  }
  if (there === undefined && write.kind === 'remove') return 'done';
  if (there === undefined || !isIt) return CHANGED;
  if (write.kind === 'change' && isSamePet(there, write.to)) return 'done';
  return isSamePet(there, write.from) ? undefined : CHANGED;
}

function withoutDropped(plan: ImportPlan, dropped: readonly Dropped[]): ImportPlan {
  if (dropped.length === 0) return plan;
  const { counts, rejections, notRemovedReason } = plan;
  // No line of the file names an animal that is not removed.
  const rejected = dropped.filter((one) => one.kind !== 'remove');
  const ofKind = (kind: Dropped['kind']) => dropped.filter((one) => one.kind === kind).length;
  return {
    counts: {
      ...counts,
      added: counts.added - ofKind('add'),
      changed: counts.changed - ofKind('change'),
      removed: counts.removed - ofKind('remove'),
      rejected: counts.rejected + rejected.length,
    },
    rejections: firstRejections([...rejections, ...rejected.map(({ line, reason }) => ({ line, reason }))]),
    notRemovedReason: dropped.some((one) => one.kind === 'remove' && one.stays)
      ? NOT_REMOVED
      : notRemovedReason,
  };
}
