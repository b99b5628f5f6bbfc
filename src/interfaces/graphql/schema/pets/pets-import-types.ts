import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Rejection } from '../../../../features/pets/import/insert-lines.js';
import {
  MAX_FILE_BYTES,
  MAX_REJECTIONS,
  type ExistingChoice,
  type PetsImport,
  type PetsImportState,
} from '../../../../features/synchronization/pets-import.js';
import { Facts } from '../../field-facts.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PetsImportExistingEnum, PetsImportStateEnum } from '../enums.js';

@ObjectType('RejectedLine', { simpleResolvers: true, description: 'A line of a file that was not imported.' })
export class RejectedLineType {
  @Field(() => Int, { description: 'The number of the line in the file. The first line is 1.' })
  line!: number;

  @Field(() => String, { description: 'Why the line was rejected, in words for people.' })
  reason!: string;
}

@ObjectType('PetsImport', {
  simpleResolvers: true,
  description:
    "A synchronization of a project's animals with a file. Until the import starts, the counts say what it would change; once it is `done`, what it changed.",
})
export class PetsImportType {
  @Field(() => ID, { description: 'The id of the import.' })
  id!: string;

  @Field(() => ID, { description: 'The id of the project whose animals the import changes.' })
  projectId!: string;

  @Field(() => PetsImportStateEnum, { description: 'The status of the import.' })
  state!: PetsImportState;

  @Field(() => PetsImportExistingEnum, { description: 'What the import does with animals that exist.' })
  existing!: ExistingChoice;

  @Field(() => Boolean, {
    description: 'Whether the import removes the animals with an `externalId` that the file does not name.',
  })
  deleteMissing!: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      "The maximum number of animals that the import removes. Null: a fifth of the project's animals, rounded up.",
  })
  deleteAtMost?: number | undefined;

  @Field(() => Boolean, { description: 'Whether the import waits for `startPetsImport` after its check.' })
  dryRun!: boolean;

  @Field(() => DateTimeScalar, { description: 'When the import was created.' })
  createdAt!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that created the import. Null if the command line created it.',
  })
  createdByKeyId!: string | undefined;

  @Field(() => String, {
    description: 'Who created the import: `staff`, `owner`, `admin` or `command line`.',
  })
  createdByRole!: string;

  @Field(() => DateTimeScalar, {
    description: 'The deadline: until then the import accepts its file or, once `checked`, can be started.',
  })
  expiresAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the import was done or failed. Null before that.',
  })
  endedAt?: Date | undefined;

  @Field(() => Int, {
    description:
      'The number of lines in the file, without the header and blank lines. 0 until the file was read.',
  })
  lines!: number;

  @Field(() => Int, { description: 'The number of animals that are new.' })
  added!: number;

  @Field(() => Int, { description: 'The number of animals that get other values.' })
  changed!: number;

  @Field(() => Int, { description: 'The number of lines whose animal stays as it is.' })
  unchanged!: number;

  @Field(() => Int, {
    description: 'The number of animals that are removed, because the file does not name them.',
  })
  removed!: number;

  @Field(() => Int, { description: 'The number of lines that are rejected.' })
  rejected!: number;

  @Facts({ weight: { mostItems: MAX_REJECTIONS, areNodes: false } })
  @Field(() => [RejectedLineType], { description: `The first ${MAX_REJECTIONS} rejected lines, by line.` })
  rejectedLines!: Rejection[];

  @Field(() => String, {
    nullable: true,
    description:
      'Why `deleteMissing` removes nothing, in words for people: lines were rejected, or more animals are missing than `deleteAtMost`. Or why it did not remove all: animals were changed while the import ran. Null otherwise.',
  })
  notRemovedReason?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Why the import failed, in words for people. Null unless the state is `failed`.',
  })
  problem?: string | undefined;

  static of({ counts, rejections, createdBy, ...petsImport }: PetsImport): PetsImportType {
    return {
      ...petsImport,
      ...counts,
      createdByKeyId: createdBy.keyId,
      createdByRole: createdBy.role,
      rejectedLines: [...rejections],
    };
  }
}

@InputType({ description: 'The import to create.' })
export class CreatePetsImportInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "The id of the project whose animals the file has. If null or omitted, the key's own project; an admin key has none.",
  })
  projectId?: string | null;

  @Field(() => PetsImportExistingEnum, {
    nullable: true,
    description: 'What the import does with animals that exist. If null or omitted, `reject`.',
  })
  existing?: ExistingChoice | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether to remove the animals of the project that have an `externalId` which the file does not name. Nothing is removed if a line is rejected. The upload then costs at least one unit of quota for each started 100 of the project's animals with an `externalId`. If null or omitted, false.",
  })
  deleteMissing?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "With `deleteMissing`: if the file does not name more animals than this, none is removed. If null or omitted, a fifth of the project's animals, rounded up.",
  })
  deleteAtMost?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to check the file only. `startPetsImport` then applies it, without another upload. If null or omitted, false.',
  })
  dryRun?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to ignore columns, or members of NDJSON, with unknown names. If null or omitted, false: they are faults.',
  })
  ignoreUnknown?: boolean | null;
}

@InputType({ description: 'The import to start.' })
export class StartPetsImportInput {
  @Field(() => ID, { description: 'The id of an import that is `checked`.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The import that was created.' })
export class CreatePetsImportPayload {
  @Field(() => PetsImportType, { description: 'The import, which is waiting for its file.' })
  petsImport!: PetsImportType;

  @Field(() => String, {
    description:
      'The URL for the file, relative to the URL of this gateway. Send the file in one PUT request, as `Content-Type: text/csv` or `application/x-ndjson`, with the key of a person of the staff or an owner of the project, or of an admin, in the Authorization header. The upload costs one unit of quota for each started 100 lines. With `deleteMissing`, if the project has more animals with an `externalId` than the file has lines, it costs one unit for each started 100 of these animals instead.',
  })
  uploadUrl!: string;

  @Field(() => Int, { description: 'The maximum size of the file, in bytes.' })
  maxBytes!: number;

  static of(petsImport: PetsImport): CreatePetsImportPayload {
    const uploadUrl = `/imports/${petsImport.id}/file`;
    return { petsImport: PetsImportType.of(petsImport), uploadUrl, maxBytes: MAX_FILE_BYTES };
  }
}

@ObjectType({ simpleResolvers: true, description: 'The import that was started.' })
export class StartPetsImportPayload {
  @Field(() => PetsImportType, {
    description: 'The import: `done`, or still `applying` if that takes long. Then ask for it again.',
  })
  petsImport!: PetsImportType;
}
