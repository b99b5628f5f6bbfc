import { Field, InputType, ObjectType } from 'type-graphql';
import { cursorOf } from '../../../../features/pets/cursor.js';
import type { PetsPage } from '../../../../features/pets/page.js';
import type { NewPet, Pet, PetStatus, Whole } from '../../../../features/pets/pet.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PetStatusEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';

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

  constructor({ id, name, categoryId, status }: Pet) {
    this.id = id;
    this.name = name;
    this.categoryId = categoryId;
    this.status = status;
  }

  /** Encoded only for documents that select it. */
  @Field(() => String, {
    description: 'The cursor of the animal in a list. Pass it as `after` to get the animals that follow.',
  })
  get cursor(): string {
    return cursorOf(this.id);
  }
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
