import type { Clock } from '../../../lib/clock.js';
import type { PetsStore } from '../pets-store.js';
import type { Rejection } from './insert-lines.js';
import type { PetsImport } from './pets-import.js';
import type { PetsImportsStore, PlannedWrite } from './pets-imports-store.js';
import { isSame, pagesOf, type GoOn } from './plan-import.js';

export interface WriteParts {
  imports: PetsImportsStore;
  pets: Pick<PetsStore, 'insertEach' | 'getMany'>;
  clock: Clock;
}

/** A planned write that was not carried out. */
export interface Dropped extends Rejection {
  kind: 'add' | 'change';
}

const AT_ONCE = 500;
const CHANGED = 'the animal was changed while the import ran, and keeps that change; import the file again';

/**
 * Carries out all planned writes of an import: first what is added and changed, then what is removed. Can be repeated from
 * the start at any time: nothing is added twice, and later changes of the animals stay.
 */
export async function writeImport(
  { projectId }: Pick<PetsImport, 'projectId'>,
  upload: string,
  { imports, pets, clock }: WriteParts,
  goOn: GoOn,
): Promise<Dropped[]> {
  const dropped: Dropped[] = [];

  async function add(adds: readonly (PlannedWrite & { kind: 'add' })[]): Promise<void> {
    const createdAt = new Date(clock());
    const outcomes = await pets.insertEach(
      adds.map(({ petId, externalId, to }) => ({ id: petId, ...to, projectId, externalId, createdAt })),
    );
    const doubtful = adds.filter((_, i) => outcomes[i] !== undefined);
    if (doubtful.length === 0) return;
    const there = await pets.getMany(doubtful.map(({ petId }) => petId));
    doubtful.forEach(({ externalId, line, kind }, i) => {
      // With this id, it was added by an earlier attempt of this import.
      if (there[i] === undefined)
        dropped.push({
          kind,
          line,
          reason: `externalId: another import added an animal with the number ${externalId}`,
        });
    });
  }

  async function change(changes: readonly (PlannedWrite & { kind: 'change' })[]): Promise<void> {
    if ((await imports.changePets(projectId, changes)) === changes.length) return;
    const now = await pets.getMany(changes.map(({ petId }) => petId));
    changes.forEach(({ to, line, kind }, i) => {
      const pet = now[i];
      if (pet === undefined || !isSame(pet, to)) dropped.push({ kind, line, reason: CHANGED });
    });
  }

  for await (const writes of pagesOf((after) => imports.writes(upload, ['add', 'change'], after, AT_ONCE))) {
    await goOn();
    await add(writes.filter((write) => write.kind === 'add'));
    await change(writes.filter((write) => write.kind === 'change'));
  }
  for await (const writes of pagesOf((after) => imports.writes(upload, ['remove'], after, AT_ONCE))) {
    await goOn();
    await imports.removePets(
      projectId,
      writes.map(({ petId }) => petId),
    );
  }
  return dropped;
}
