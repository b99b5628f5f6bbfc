import type { AuditState } from '../audit/audit-record.js';
import { PET_FIELDS, plainFieldsOf, type NewPet, type Pet } from '../pets/pet.js';
import type { PetChanges } from '../pets/pet-change.js';
import type { ChangedPet, ChangeOptions, PetsService } from '../pets/pets-service.js';
import type { ProjectsService } from '../projects/projects-service.js';
import { serviceUnavailable } from '../../lib/errors.js';
import type { AuditedChange } from './audited-change.js';

/**
 * Changes of pets that are audited: those of dashboard sessions, staff, admins and the command line. Pets that programs
 * add over the API count in the usage.
 */
export interface AuditedPets {
  /** @throws ApiError not_found if there is no such project */
  createPet(newPet: NewPet, projectId: string | undefined): Promise<Pet>;
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  updatePet(id: bigint, changes: PetChanges, options: ChangeOptions, also?: AlsoDo): Promise<ChangedPet>;
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  deletePet(id: bigint, options: ChangeOptions, also?: AlsoDo): Promise<Pet>;
  /**
   * Removes all pets of the project, and returns their number. The audit record comes first, because the removal is in
   * parts.
   * @throws ApiError not_found; service_unavailable if there are too many for one request: then repeat it
   */
  deletePetsOf(projectId: string): Promise<number>;
}

/** The time in which deletePetsOf removes pets, milliseconds: less than a request may take. */
const REMOVING_MS = 4000;

/** What the transaction of a change stores besides: called with the pet after the change, or before its removal. */
export type AlsoDo = (pet: Pet) => Promise<void>;

export interface AuditedPetsParts {
  pets: Pick<PetsService, 'reserveId' | 'create' | 'update' | 'remove' | 'removeAllOf'>;
  projects: Pick<ProjectsService, 'get'>;
  record: <T>(change: AuditedChange<T>) => Promise<T>;
}

export function auditedPets({ pets, projects, record }: AuditedPetsParts): AuditedPets {
  const targetOf = ({ id, projectId }: Pet) => ({ projectId, petId: String(id) });
  return {
    async createPet(newPet, projectId) {
      const id = await pets.reserveId();
      return record({
        action: 'pet.create',
        async run() {
          if (projectId !== undefined) await projects.get(projectId);
          return pets.create(newPet, projectId, id);
        },
        describe: (pet) => ({ target: targetOf(pet), after: plainFieldsOf(pet) }),
      });
    },
    updatePet: (id, changes, options, also) =>
      record({
        action: 'pet.update',
        async run() {
          const changed = await pets.update(id, changes, options);
          await also?.(changed.after);
          return changed;
        },
        describe: ({ before, after }) => ({
          target: targetOf(after),
          before: plainFieldsOf(before),
          after: plainFieldsOf(after),
        }),
      }),
    async deletePetsOf(projectId) {
      await record({
        action: 'pet.deleteAll',
        run: () => projects.get(projectId),
        describe: () => ({ target: { projectId }, before: { pets: 'all' }, after: { pets: null } }),
      });
      const time = AbortSignal.timeout(REMOVING_MS);
      return pets.removeAllOf(projectId, time).catch((error: unknown) => {
        throw time.aborted
          ? serviceUnavailable(
              'The project has more animals than one request removes. Repeat the request.',
              error,
            )
          : error;
      });
    },
    deletePet: (id, options, also) =>
      record({
        action: 'pet.delete',
        async run() {
          const pet = await pets.remove(id, options);
          await also?.(pet);
          return pet;
        },
        describe: (pet) => ({
          target: targetOf(pet),
          before: {
            ...plainFieldsOf(pet),
            ...(pet.externalId !== undefined && { externalId: pet.externalId }),
          },
          after: { ...NOTHING, ...(pet.externalId !== undefined && { externalId: null }) },
        }),
      }),
  };
}

const NOTHING: AuditState = Object.fromEntries(PET_FIELDS.map((field) => [field, null]));
