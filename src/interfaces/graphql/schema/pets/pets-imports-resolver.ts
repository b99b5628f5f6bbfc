import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { invalidRequest, isNotFound } from '../../../../lib/errors.js';
import type { PetsImport } from '../../../../features/synchronization/pets-import.js';
import { importNotFound } from '../../../../features/synchronization/pets-imports.js';
import type { GraphQLParts } from '../../parts.js';
import { requireProjectMember, requireRole, type GraphQLContext } from '../context.js';
import {
  CreatePetsImportInput,
  CreatePetsImportPayload,
  PetsImportType,
  StartPetsImportInput,
  StartPetsImportPayload,
} from './pets-import-types.js';

/** Shorter than the time that a GraphQL request may take. */
const START_WAIT_MS = 3000;

@Resolver()
export class PetsImportsResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'petsImports'>) {}

  @Query(() => PetsImportType, {
    nullable: true,
    description:
      'An import of animals, or null if there is none with this id. The gateway keeps imports for 30 days. Available to admins, and to staff and owners within their project.',
  })
  async petsImport(
    @Arg('id', () => ID, { description: 'The id of the import.' }) id: string,
    @Ctx() context: GraphQLContext,
  ): Promise<PetsImportType | null> {
    requireRole(context, 'staff', 'owner', 'admin');
    const found = await this.services.petsImports.get(id).catch(nullUnlessThere);
    return found === null || !isWithin(context, found) ? null : PetsImportType.of(found);
  }

  @Mutation(() => CreatePetsImportPayload, {
    description:
      "Creates an import that synchronizes a project's animals with a file. The `externalId` identifies each animal. Available to admins, and to staff and owners within their project.",
  })
  async createPetsImport(
    @Arg('input', () => CreatePetsImportInput, {
      description: 'The project, and what the import may change.',
    })
    input: CreatePetsImportInput,
    @Ctx() context: GraphQLContext,
  ): Promise<CreatePetsImportPayload> {
    const { existing, deleteMissing, deleteAtMost, dryRun, ignoreUnknown } = input;
    const projectId = input.projectId ?? context.caller.project?.id;
    requireProjectMember(context, projectId);
    if (projectId === undefined)
      throw invalidRequest({ field: 'input.projectId', message: 'is required with an admin key' });
    const created = await this.services.petsImports.create(
      {
        projectId,
        existing: existing ?? 'reject',
        deleteMissing: deleteMissing ?? false,
        deleteAtMost: deleteAtMost ?? undefined,
        dryRun: dryRun ?? false,
        ignoreUnknown: ignoreUnknown ?? false,
      },
      context.caller,
    );
    return CreatePetsImportPayload.of(created);
  }

  @Mutation(() => StartPetsImportPayload, {
    description:
      'Applies an import that is `checked`. The gateway compares its file with the animals again, as they are now. Available to admins, and to staff and owners within their project.',
  })
  async startPetsImport(
    @Arg('input', () => StartPetsImportInput, { description: 'The import to apply.' })
    { id }: StartPetsImportInput,
    @Ctx() context: GraphQLContext,
  ): Promise<StartPetsImportPayload> {
    requireRole(context, 'staff', 'owner', 'admin');
    const { petsImports } = this.services;
    const found = await petsImports.get(id);
    if (!isWithin(context, found)) importNotFound(id);
    const started = await petsImports.start(found, context.caller, START_WAIT_MS);
    return { petsImport: PetsImportType.of(started) };
  }
}

/** Staff and owners see the imports of their own project, admins all. */
function isWithin({ caller }: GraphQLContext, { projectId }: PetsImport): boolean {
  return caller.key.role === 'admin' || caller.project?.id === projectId;
}

function nullUnlessThere(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}
