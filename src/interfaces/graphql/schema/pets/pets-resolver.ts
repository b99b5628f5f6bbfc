import { Kind, type GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { PetsOfCaller, Precondition } from '../../../../features/administration/pets-of-caller.js';
import type { Caller } from '../../../../features/keys/caller.js';
import { invalidRequest, type ApiError } from '../../../../lib/errors.js';
import { checkPageSize, PAGE_SIZE } from '../../../../lib/page-size.js';
import { parseNewestCursor } from '../../../../features/pets/cursor.js';
import { checkExternalId } from '../../../../features/pets/external-id.js';
import {
  checkSearch,
  parseAfter,
  type PetOrder,
  type PetsFilter,
  type PetsPage,
  type PetsQuery,
} from '../../../../features/pets/page.js';
import { parsePetChanges } from '../../../../features/pets/parse-pet-changes.js';
import { petNotFound } from '../../../../features/pets/pets-service.js';
import { parseNewPet } from '../../../../features/pets/parse-new-pet.js';
import type { DoneOnce } from '../../../../features/pets/idempotency/create-pet-once.js';
import { PET_FIELDS, type NewPet, type Pet, type PetStatus } from '../../../../features/pets/pet.js';
import type { GraphQLParts } from '../../parts.js';
import { requireNotBrowser, type GraphQLContext } from '../context.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PetOrderEnum, PetStatusEnum } from '../enums.js';
import {
  DeletePetInput,
  DeletePetPayload,
  NewPetInput,
  PetConnectionType,
  PetFilterInput,
  PetProjectType,
  PetType,
  UpdatePetInput,
  UpdatePetPayload,
} from './pet-types.js';
import { Facts } from '../../field-facts.js';

const MAX_IDS = 100;
const PAGE_DESCRIPTION = `The maximum number of pets to return, ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}. Defaults to ${PAGE_SIZE.default}.`;
const AFTER_DESCRIPTION =
  'The cursor of a pet on an earlier page. The result starts after that pet. If null or omitted, it starts at the beginning.';
const MINE_DESCRIPTION =
  "True: only pets of the key's own project; with an admin key, pets that belong to no project. False, null or omitted: pets of everybody. Stability: beta.";
const NO_PETS: PetsPage = { pets: [], hasMore: false };
const STATUS_DESCRIPTION = 'Only pets with this status. If null or omitted, pets with any status.';

@Resolver(() => PetType)
export class PetsResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'pets' | 'petsOfCaller' | 'callerChecks'>) {}

  @Facts({ isAboutPets: true, isShared: true, variesWith: ['mine'] })
  @Query(() => [PetType], {
    name: 'pets',
    description:
      'Pets by ascending id, like the REST operation listPets. Pass the cursor of the last pet as `after` to get the next page.',
  })
  async list(
    @Arg('limit', () => Int, {
      nullable: true,
      defaultValue: PAGE_SIZE.default,
      description: PAGE_DESCRIPTION,
    })
    limit: number | null,
    @Arg('status', () => PetStatusEnum, { nullable: true, description: STATUS_DESCRIPTION })
    status: PetStatus | null,
    @Arg('after', () => String, { nullable: true, description: AFTER_DESCRIPTION }) after: string | null,
    @Arg('mine', () => Boolean, { nullable: true, description: MINE_DESCRIPTION }) mine: boolean | null,
    @Ctx() context: GraphQLContext,
  ): Promise<PetType[]> {
    const page = {
      limit: checkPageSize(limit ?? PAGE_SIZE.default, 'limit'),
      ...placeOf(after, 'after', 'id'),
    };
    const filter = filterOf({ status, mine }, undefined, context);
    const { pets } = filter === undefined ? NO_PETS : await this.services.pets.list({ ...page, ...filter });
    return pets.map((pet) => new PetType(pet));
  }

  @Facts({ isAboutPets: true, isShared: true, variesWith: ['filter'] })
  @Query(() => PetConnectionType, {
    description:
      'Pets that match a filter, by ascending id or newest first, in pages that follow the Relay connection specification.',
  })
  async petsConnection(
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: PAGE_SIZE.default,
      description: PAGE_DESCRIPTION,
    })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: AFTER_DESCRIPTION }) after: string | null,
    @Arg('status', () => PetStatusEnum, { nullable: true, description: STATUS_DESCRIPTION })
    status: PetStatus | null,
    @Arg('filter', () => PetFilterInput, {
      nullable: true,
      description: 'Which pets to list. If null or omitted, all pets. Stability: beta.',
    })
    filter: PetFilterInput | null,
    @Arg('orderBy', () => PetOrderEnum, {
      nullable: true,
      defaultValue: 'id',
      description:
        'The order of the list. Defaults to `id`. A cursor continues a list in its own order only. Stability: beta.',
    })
    orderBy: PetOrder | null,
    @Arg('last', () => Int, {
      nullable: true,
      description: `The maximum number of pets to return from the end of the list, ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}, in place of \`first\`. If null or omitted, the page is taken from the start of the list. Stability: beta.`,
    })
    last: number | null,
    @Arg('before', () => String, {
      nullable: true,
      description:
        'Only with `last`: the cursor of a pet on a later page. The result ends before that pet. If null or omitted, it ends at the end. Stability: beta.',
    })
    before: string | null,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PetConnectionType> {
    const given = isGiven(info, 'first') ? first : null;
    const page = connectionPage({ first: given, after, last, before, orderBy: orderBy ?? 'id' });
    const matching = filterOf(filter ?? {}, status, context);
    if (matching === undefined) return new PetConnectionType(NO_PETS, page, () => Promise.resolve(0));
    const { pets } = this.services;
    const query = { ...page, ...matching };
    return new PetConnectionType(await pets.list(query), query, () => pets.count(matching));
  }

  @Facts({ isAboutPets: true, isShared: true })
  @Query(() => [PetType], {
    nullable: 'items',
    description: `The pets with these ids, at most ${MAX_IDS}, in the order of the ids. Null in place of a pet that does not exist.`,
  })
  async petsByIds(
    @Arg('ids', () => [Int64Scalar], {
      description: `The ids of the pets, at most ${MAX_IDS}. A repeated id is returned as often as it is given.`,
    })
    ids: bigint[],
    @Ctx() context: GraphQLContext,
  ): Promise<(PetType | null)[]> {
    if (ids.length > MAX_IDS)
      throw invalidRequest({ field: 'ids', message: `must be at most ${MAX_IDS} ids, not ${ids.length}` });
    const found = await this.services.pets.getMany(ids);
    return found.map((pet) => (pet === undefined || !isVisible(pet, context) ? null : new PetType(pet)));
  }

  @Facts({ isAboutPets: true })
  @Query(() => PetType, {
    name: 'pet',
    nullable: true,
    description:
      'One pet, like the REST operation getPet. For an unknown id, the field is null and the error is `pet_not_found`.',
  })
  async get(
    @Arg('id', () => Int64Scalar, { description: 'The id of the pet.' }) id: bigint,
    @Ctx() context: GraphQLContext,
  ): Promise<PetType> {
    const pet = await this.services.pets.get(id);
    return isVisible(pet, context) ? new PetType(pet) : petNotFound(String(id));
  }

  @Facts({ isAboutPets: true, acceptsIdempotencyKey: true })
  @Mutation(() => PetType, { description: 'Adds a pet, like the REST operation createPet.' })
  async createPet(
    @Arg('input', () => NewPetInput, { description: 'The pet to add.' }) input: NewPetInput,
    @Ctx() context: GraphQLContext,
  ): Promise<PetType> {
    requireNotBrowser(context);
    const newPet = parseNewPet(input, { nullMeansDefault: true });
    return new PetType(await this.change(context, (pets) => pets.create(newPet)));
  }

  @Facts({ isAboutPets: true, acceptsIdempotencyKey: true })
  @Mutation(() => UpdatePetPayload, {
    description:
      'Changes a pet, like the REST operation updatePet. Available to keys of its project, and to admins. The check of the preconditions and the change are one atomic step: of two clients that reserve a pet at once with `ifStatus: available`, one succeeds. The other gets the error `precondition_failed`, with the current fields in `details`.',
  })
  async updatePet(
    @Arg('input', () => UpdatePetInput, { description: 'The pet, and what to change.' })
    input: UpdatePetInput,
    @Ctx() context: GraphQLContext,
  ): Promise<UpdatePetPayload> {
    requireNotBrowser(context);
    assertNoNull(input);
    const given = PET_FIELDS.filter((field) => input[field] !== undefined);
    const changes = parsePetChanges(Object.fromEntries(given.map((field) => [field, input[field]])), 'input');
    const precondition = preconditionOf(input);
    const pet = await this.change(context, (pets) => pets.update(input.id, changes, precondition));
    return { pet: new PetType(pet) };
  }

  @Facts({ isAboutPets: true, acceptsIdempotencyKey: true })
  @Mutation(() => DeletePetPayload, {
    description:
      'Removes a pet, like the REST operation deletePet. Available to keys of its project, and to admins. The check of the preconditions and the removal are one atomic step.',
  })
  async deletePet(
    @Arg('input', () => DeletePetInput, { description: 'The pet to remove.' }) input: DeletePetInput,
    @Ctx() context: GraphQLContext,
  ): Promise<DeletePetPayload> {
    requireNotBrowser(context);
    assertNoNull(input);
    const { id } = await this.change(context, (pets) => pets.remove(input.id, preconditionOf(input)));
    return { deletedPetId: id };
  }

  private async change(
    context: GraphQLContext,
    run: (pets: ReturnType<PetsOfCaller>) => Promise<DoneOnce>,
  ): Promise<Pet> {
    // An earlier mutation of the same document may have taken a while, or revoked the key.
    const caller = await this.services.callerChecks.current(context.caller);
    const { pet, replayed } = await run(this.services.petsOfCaller(caller, context.idempotencyKey));
    if (replayed) context.announceReplay();
    return pet;
  }

  @FieldResolver(() => PetProjectType, {
    nullable: true,
    description:
      'The project that the animal belongs to: only its keys, and admins, can change or remove the animal. Null if it belongs to no project.',
  })
  async project(
    @Root() { projectId }: PetType,
    @Ctx() context: GraphQLContext,
  ): Promise<PetProjectType | null> {
    if (projectId === undefined) return null;
    const project = await context.loaders().project.load(projectId);
    // The animals of a deleted project stay until they are removed.
    return project === undefined ? null : { id: project.id, name: project.name };
  }

  @Facts({ variesByCaller: true })
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The project's own number of the animal. Null if it has none, for other projects, and for browser keys.",
  })
  externalId(@Root() { projectId, ownNumber }: PetType, @Ctx() { caller }: GraphQLContext): string | null {
    return seesNumbers(caller, projectId) ? (ownNumber ?? null) : null;
  }
}

/** @throws ApiError invalid_request: no field of a pet, and no precondition, can be null */
function assertNoNull(input: object): void {
  const faults = Object.entries(input)
    .filter(([, value]) => value === null)
    .map(([field]) => ({ field, message: 'must not be null. Omit it' }));
  if (faults.length > 0) throw invalidRequest(faults);
}

/** The argument that requires a value of each field. */
const CONDITION_ON = {
  name: 'ifName',
  categoryId: 'ifCategoryId',
  status: 'ifStatus',
} as const satisfies Record<keyof NewPet, keyof UpdatePetInput & keyof DeletePetInput>;

function preconditionOf(input: UpdatePetInput | DeletePetInput): Precondition {
  const given = PET_FIELDS.filter((field) => input[CONDITION_ON[field]] != null);
  return { ifPet: Object.fromEntries(given.map((field) => [field, input[CONDITION_ON[field]]])) };
}

/** Whether the request has the argument. The value of one that it does not have is the default. */
function isGiven({ fieldNodes, variableValues }: GraphQLResolveInfo, name: string): boolean {
  const value = fieldNodes[0]?.arguments?.find((argument) => argument.name.value === name)?.value;
  return value !== undefined && (value.kind !== Kind.VARIABLE || value.name.value in variableValues);
}

/** A member that the request does not have is null. */
interface ConnectionArguments {
  first: number | null;
  after: string | null;
  last: number | null;
  before: string | null;
  orderBy: PetOrder;
}

/** An explicit null means the default. @throws ApiError invalid_request */
function connectionPage({ first, after, last, before, orderBy }: ConnectionArguments): PetsQuery {
  const order = orderBy === 'newest' ? { orderBy } : {};
  if (last == null) {
    if (before != null) throw invalidRequest({ field: 'before', message: 'needs `last`, not `first`' });
    const limit = checkPageSize(first ?? PAGE_SIZE.default, 'first');
    return { limit, ...order, ...placeOf(after, 'after', orderBy) };
  }
  if (after != null) throw invalidRequest({ field: 'after', message: 'needs `first`, not `last`' });
  if (first != null) throw invalidRequest({ field: 'last', message: 'cannot be used together with `first`' });
  const limit = checkPageSize(last, 'last');
  return { limit, ...order, isBackward: true, ...placeOf(before, 'before', orderBy) };
}

/** @throws ApiError invalid_request */
function placeOf(
  cursor: string | null | undefined,
  field: string,
  orderBy: PetOrder,
): Pick<PetsQuery, 'afterId' | 'afterTime'> {
  if (cursor == null) return {};
  if (orderBy === 'id') return { afterId: parseAfter(cursor, field) };
  const { id, createdAt } = parseNewestCursor(cursor, field);
  return { afterId: id, afterTime: createdAt };
}

/** Returns undefined if no pet can match. @throws ApiError invalid_request */
function filterOf(
  { status, categoryId, nameContains, externalId, mine, projectId }: PetFilterInput,
  plainStatus: PetStatus | null | undefined,
  { caller, onlyPetsOf }: GraphQLContext,
): PetsFilter | undefined {
  if (nameContains != null) checkSearch(nameContains, 'filter.nameContains');
  if (externalId != null) checkExternalId(externalId, 'filter.externalId');
  const owners = new Set<string | null>([
    ...(onlyPetsOf === undefined ? [] : [onlyPetsOf]),
    ...(mine === true ? [caller.project?.id ?? null] : []),
    ...(projectId == null ? [] : [projectId]),
  ]);
  const statuses = new Set([status, plainStatus].filter((one) => one != null));
  if (owners.size > 1 || statuses.size > 1) return undefined;
  const [owner = externalId == null ? undefined : caller.project?.id] = owners;
  const [wanted] = statuses;
  if (externalId != null) {
    if (owner === undefined && caller.key.role === 'admin') throw numberWithoutProject();
    if (!seesNumbers(caller, owner)) return undefined;
  }
  return {
    ...(wanted !== undefined && { status: wanted }),
    ...(categoryId != null && { categoryId }),
    ...(nameContains != null && { nameContains }),
    ...(owner !== undefined && { projectId: owner }),
    ...(externalId != null && { externalId }),
  };
}

/** Whether the caller may see the own numbers of this project's pets. Null or undefined: of no project. */
function seesNumbers({ key, project }: Caller, projectId: string | null | undefined): boolean {
  return (
    key.role === 'admin' || (key.role !== 'browser' && project !== undefined && project.id === projectId)
  );
}

function numberWithoutProject(): ApiError {
  return invalidRequest({
    field: 'filter.projectId',
    message:
      'is required with `externalId` and an admin key: a number is unique only within a project. Set it to the id of the project',
  });
}

/** Whether the pet exists for this request. */
function isVisible({ projectId }: Pet, { onlyPetsOf }: GraphQLContext): boolean {
  return onlyPetsOf === undefined || projectId === onlyPetsOf;
}
