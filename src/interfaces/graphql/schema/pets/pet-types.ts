import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { cursorOf, newestCursorOf, type PetPlace } from '../../../../features/pets/cursor.js';
import {
  MAX_COUNTED,
  MAX_EXAMINED,
  MAX_SEARCH_LENGTH,
  type PetsPage,
  type PetsQuery,
} from '../../../../features/pets/page.js';
import type { NewPet, Pet, PetStatus, Whole } from '../../../../features/pets/pet.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PetStatusEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';

const ELSE_FAILED = 'Otherwise the error is `precondition_failed` and nothing changes.';
const IF_STATUS = `The pet must have this status. ${ELSE_FAILED} Not null.`;
const IF_NAME = `The pet must have exactly this name. ${ELSE_FAILED} Not null.`;
const IF_CATEGORY_ID = `The pet must have this category. ${ELSE_FAILED} Not null.`;

@ObjectType('Pet', { simpleResolvers: true, description: 'An animal of the catalogue.' })
export class PetType implements Whole<NewPet> {
  @Field(() => Int64Scalar, {
    description: 'The unique identifier that the service assigned when the animal was added.',
  })
  readonly id: bigint;

  @Field(() => String, { description: 'The name of the animal, exactly as given.' })
  readonly name: string;

  @Field(() => Int64Scalar, { description: 'The identifier of the category that the animal belongs to.' })
  readonly categoryId: bigint;

  @Field(() => PetStatusEnum, { description: 'The availability of the animal.' })
  readonly status: PetStatus;

  @Field(() => DateTimeScalar, {
    description:
      'When the animal was added. For a create that was retried with its `Idempotency-Key`: the time of the first request.',
  })
  readonly createdAt: Date;

  /** What the resolvers of its other fields read. */
  readonly projectId: string | undefined;
  readonly ownNumber: string | undefined;

  constructor({ id, name, categoryId, status, projectId, externalId, createdAt }: Pet) {
    this.id = id;
    this.name = name;
    this.categoryId = categoryId;
    this.status = status;
    this.createdAt = createdAt;
    this.projectId = projectId;
    this.ownNumber = externalId;
  }

  /** Encoded only for documents that select it. */
  @Field(() => String, {
    description:
      'The cursor of the animal in a list by id. Pass it as `after` to get the animals that follow.',
  })
  get cursor(): string {
    return cursorOf(this.id);
  }
}

@ObjectType('PetProject', {
  simpleResolvers: true,
  description: 'The project that an animal belongs to, as everybody may see it.',
})
export class PetProjectType {
  @Field(() => ID, { description: 'The id of the project.' })
  id!: string;

  @Field(() => String, { description: 'The name of the project.' })
  name!: string;
}

@InputType('NewPet', { description: 'An animal to add.' })
export class NewPetInput {
  @Field(() => String, {
    description:
      'The name of the animal, 1 to 255 characters, not blank. The gateway stores it exactly as given.',
  })
  name!: string;

  @Field(() => Int64Scalar, {
    description: 'The identifier of the category that the animal belongs to: any int64.',
  })
  categoryId!: bigint;

  @Field(() => PetStatusEnum, {
    nullable: true,
    description: 'The availability of the animal. Defaults to `available`.',
  })
  status?: PetStatus | null;
}

@InputType('UpdatePetInput', {
  description:
    'A pet, the fields to change, and what the pet must be for the change. At least one field must change.',
})
export class UpdatePetInput {
  @Field(() => Int64Scalar, { description: 'The id of the pet.' })
  id!: bigint;

  @Field(() => String, { nullable: true, description: 'The new name. If omitted, the name stays. Not null.' })
  name?: string | null;

  @Field(() => Int64Scalar, {
    nullable: true,
    description: 'The new category. If omitted, the category stays. Not null.',
  })
  categoryId?: bigint | null;

  @Field(() => PetStatusEnum, {
    nullable: true,
    description: 'The new status. If omitted, the status stays. Not null.',
  })
  status?: PetStatus | null;

  @Field(() => PetStatusEnum, { nullable: true, description: IF_STATUS })
  ifStatus?: PetStatus | null;

  @Field(() => String, { nullable: true, description: IF_NAME })
  ifName?: string | null;

  @Field(() => Int64Scalar, { nullable: true, description: IF_CATEGORY_ID })
  ifCategoryId?: bigint | null;
}

@ObjectType('UpdatePetPayload', { simpleResolvers: true, description: 'The result of updatePet.' })
export class UpdatePetPayload {
  @Field(() => PetType, { description: 'The pet after the change.' })
  pet!: PetType;
}

@InputType('DeletePetInput', { description: 'A pet, and what it must be to be removed.' })
export class DeletePetInput {
  @Field(() => Int64Scalar, { description: 'The id of the pet.' })
  id!: bigint;

  @Field(() => PetStatusEnum, { nullable: true, description: IF_STATUS })
  ifStatus?: PetStatus | null;

  @Field(() => String, { nullable: true, description: IF_NAME })
  ifName?: string | null;

  @Field(() => Int64Scalar, { nullable: true, description: IF_CATEGORY_ID })
  ifCategoryId?: bigint | null;
}

@ObjectType('DeletePetPayload', { simpleResolvers: true, description: 'The result of deletePet.' })
export class DeletePetPayload {
  @Field(() => Int64Scalar, { description: 'The id of the pet that was removed.' })
  deletedPetId!: bigint;
}

@ObjectType('PetEdge', { simpleResolvers: true, description: 'A pet and its cursor in the list.' })
export class PetEdgeType {
  @Field(() => PetType, { description: 'The pet at this position.' })
  node!: PetType;

  @Field(() => String, {
    description: 'The cursor of the pet in the list. Pass it as `after` to get the pets that follow.',
  })
  cursor!: string;
}

@InputType('PetFilter', { description: 'Which pets to list. A pet must match every condition that you set.' })
export class PetFilterInput {
  @Field(() => PetStatusEnum, {
    nullable: true,
    description: 'Only pets with this status. If null or omitted, pets with any status.',
  })
  status?: PetStatus | null;

  @Field(() => Int64Scalar, {
    nullable: true,
    description: 'Only pets of this category. If null or omitted, pets of any category.',
  })
  categoryId?: bigint | null;

  @Field(() => String, {
    nullable: true,
    description: `Only pets whose name contains this text anywhere, 1 to ${MAX_SEARCH_LENGTH} characters. Ignores case, accents and the form of an apostrophe: \`STRASSE\` finds \`Straße\`, \`zoe\` finds \`Zoë\`. If null or omitted, pets with any name.`,
  })
  nameContains?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: only pets of the key's own project; with an admin key, pets that belong to no project. False, null or omitted: pets of everybody.",
  })
  mine?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Only pets of this project. If null or omitted, all pets of the catalogue.',
  })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only the pet with exactly this own number of its project, 1 to 64 characters. Finds only pets whose `externalId` the key can see: a server or owner key finds pets of its own project, and a browser key finds none. An admin key must set `projectId` too, because a number is unique only within a project. If null or omitted, pets with any number and pets without one.',
  })
  externalId?: string | null;
}

@ObjectType('PetConnection', {
  simpleResolvers: true,
  description: 'A page of pets, following the Relay connection specification.',
})
export class PetConnectionType {
  @Field(() => [PetEdgeType], { description: 'The pets of this page, in the order of the list.' })
  readonly edges: PetEdgeType[];

  @Field(() => PageInfoType, {
    description: `Whether there are pets before and after this page, and the cursors to continue from. The gateway examines at most ${MAX_EXAMINED} pets one by one for a page. With several conditions, a page can therefore have fewer pets than you asked for, even none, while \`hasNextPage\` is true. Then continue from \`endCursor\`, which is set.`,
  })
  readonly pageInfo: PageInfoType;

  private counted: Promise<number | null> | undefined;
  private readonly countAll: () => Promise<number | undefined>;

  /** @param query how the page was read; undefined if no pet can match */
  constructor(page: PetsPage, query: PetsQuery, countAll: () => Promise<number | undefined>) {
    const isNewest = query.orderBy === 'newest';
    const cursorAt = (place: PetPlace) => (isNewest ? newestCursorOf(place) : cursorOf(place.id));
    const pets = query.isBackward === true ? [...page.pets].reverse() : page.pets;
    this.edges = pets.map((pet) => ({ node: new PetType(pet), cursor: cursorAt(pet) }));
    const [start, end] = [this.edges[0]?.cursor, this.edges.at(-1)?.cursor];
    const hasMoreBehind = query.afterId !== undefined;
    const continued = page.end && cursorAt(page.end);
    this.pageInfo =
      query.isBackward === true
        ? {
            hasPreviousPage: page.hasMore,
            hasNextPage: hasMoreBehind,
            startCursor: continued ?? start,
            endCursor: end,
          }
        : {
            hasNextPage: page.hasMore,
            hasPreviousPage: hasMoreBehind,
            startCursor: start,
            endCursor: continued ?? end,
          };
    this.countAll = countAll;
  }

  /** Counted once, however many aliases a document gives it. */
  @Field(() => Int, {
    nullable: true,
    description: `The number of pets in the whole list. Exact up to ${MAX_COUNTED}; null if there are more, or if the gateway would have to examine more than ${MAX_EXAMINED} pets one by one to count them.`,
  })
  totalCount(): Promise<number | null> {
    return (this.counted ??= this.countAll().then((count) => count ?? null));
  }
}
