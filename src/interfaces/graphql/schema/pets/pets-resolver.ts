import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { invalidRequest } from '../../../../lib/errors.js';
import { checkPageSize, PAGE_SIZE } from '../../../../lib/page-size.js';
import { parseAfter, type PetsQuery } from '../../../../features/pets/page.js';
import { parseNewPet } from '../../../../features/pets/parse-new-pet.js';
import type { PetStatus } from '../../../../features/pets/pet.js';
import type { GraphQLParts } from '../../parts.js';
import { requireNotBrowser, type GraphQLContext } from '../context.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PetStatusEnum } from '../enums.js';
import { NewPetInput, PetConnectionType, PetType } from './pet-types.js';
import { Facts } from '../../field-facts.js';

const MAX_IDS = 100;
const PAGE_DESCRIPTION = `The maximum number of pets to return, ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}. Defaults to ${PAGE_SIZE.default}.`;
const AFTER_DESCRIPTION =
  'The cursor of a pet on an earlier page. The result starts after that pet. If null or omitted, it starts at the beginning.';
const STATUS_DESCRIPTION = 'Only pets with this status. If null or omitted, pets with any status.';

@Resolver(() => PetType)
export class PetsResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'pets' | 'authority'>) {}

  @Facts({ isAboutPets: true, isShared: true })
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
  ): Promise<PetType[]> {
    const page = await this.services.pets.list(pageQuery('limit', limit, status, after));
    return page.pets.map((pet) => new PetType(pet));
  }

  @Facts({ isAboutPets: true, isShared: true })
  @Query(() => PetConnectionType, {
    description: 'Pets by ascending id, in pages that follow the Relay connection specification.',
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
  ): Promise<PetConnectionType> {
    const query = pageQuery('first', first, status, after);
    return PetConnectionType.of(await this.services.pets.list(query), query.afterId !== undefined);
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
  ): Promise<(PetType | null)[]> {
    if (ids.length > MAX_IDS)
      throw invalidRequest({ field: 'ids', message: `must be at most ${MAX_IDS} ids, not ${ids.length}` });
    const found = await this.services.pets.getMany(ids);
    return found.map((pet) => (pet === undefined ? null : new PetType(pet)));
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
  ): Promise<PetType> {
    return new PetType(await this.services.pets.get(id));
  }

  @Facts({ isAboutPets: true })
  @Mutation(() => PetType, { description: 'Adds a pet, like the REST operation createPet.' })
  async createPet(
    @Arg('input', () => NewPetInput, { description: 'The pet to add.' }) input: NewPetInput,
    @Ctx() context: GraphQLContext,
  ): Promise<PetType> {
    requireNotBrowser(context);
    // An earlier mutation of the same document may have taken a while, or revoked the key.
    const { project } = await this.services.authority.current(context.caller);
    const newPet = parseNewPet(input, { nullMeansDefault: true });
    return new PetType(await this.services.pets.create(newPet, project?.id));
  }
}

/** An explicit null means the default. @throws ApiError invalid_request */
function pageQuery(
  field: string,
  size: number | null,
  status: PetStatus | null | undefined,
  after: string | null | undefined,
): PetsQuery {
  return {
    limit: checkPageSize(size ?? PAGE_SIZE.default, field),
    ...(status != null && { status }),
    ...(after != null && { afterId: parseAfter(after) }),
  };
}
