import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { cursorOf } from '../../../../features/pets/cursor.js';
import type { PetsPage } from '../../../../features/pets/page.js';
import type { NewPet, Pet, PetStatus, Whole } from '../../../../features/pets/pet.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PetStatusEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';

const ELSE_FAILED = 'Otherwise the error is `precondition_failed` and nothing changes.';
const IF_STATUS = `The pet must have this status. ${ELSE_FAILED} Not null.`;
const IF_NAME = `The pet must have exactly this name. ${ELSE_FAILED} Not null.`;
const IF_CATEGORY_ID = `The pet must have this category. ${ELSE_FAILED} Not null.`;

@ObjectType('Pet', { simpleResolvers: true, description: 'An animal of the adoption store.' })
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

  @Field(() => DateTimeScalar, { description: 'When the animal was added.' })
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
    description: 'The cursor of the animal in a list. Pass it as `after` to get the animals that follow.',
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

@ObjectType('PetConnection', {
  simpleResolvers: true,
  description: 'A page of pets, following the Relay connection specification.',
})
export class PetConnectionType {
  @Field(() => [PetEdgeType], { description: 'The pets of this page, by ascending id.' })
  edges!: PetEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are pets before and after this page, and the cursors to continue from.',
  })
  pageInfo!: PageInfoType;

  static of({ pets, hasMore }: PetsPage, hasPrevious: boolean): PetConnectionType {
    const edges = pets.map((pet) => ({ node: new PetType(pet), cursor: cursorOf(pet.id) }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}
