import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { checkPageSize, PAGE_SIZE } from '../../../../lib/page-size.js';
import type { PlanId } from '../../../../features/plans/plans.js';
import type { UsageOf } from '../../../../features/usage/usage.js';
import type { UsageRange } from '../../../../features/usage/usage-range.js';
import type { GraphQLParts } from '../../parts.js';
import { mayReachKey, requireProjectAccess, type GraphQLContext } from '../context.js';
import { First } from '../paging.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiKeyType } from '../keys/api-key-types.js';
import { PlanIdEnum } from '../enums.js';
import { ProjectType } from '../projects/project-types.js';
import { RefusalType, UsageType, UsageUnderPlanType } from './usage-types.js';
import { Facts } from '../../field-facts.js';

const FROM = {
  nullable: true,
  description:
    'A moment on the first UTC day of the range. If null or omitted, the range covers 30 UTC days.',
};
const TO = {
  nullable: true,
  description:
    'The end of the range, exclusive. If it falls within a UTC day, the range includes that whole day; midnight UTC excludes the day that begins then. A range has at most 400 days. If null or omitted, the range ends with the current UTC day.',
};

@Resolver(() => ApiKeyType)
export class KeyUsageResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'usage'>) {}

  // Computed from one record per day.
  @Facts({ weight: { mostItems: 'days', areNodes: true } })
  @FieldResolver(() => UsageType, {
    description: 'The requests made with the key, on the UTC days of a range.',
  })
  async usage(
    @Root() { key }: ApiKeyType,
    @Arg('from', () => DateTimeScalar, FROM) from: Date | null,
    @Arg('to', () => DateTimeScalar, TO) to: Date | null,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageType> {
    requireProjectAccess(context, key.projectId);
    const range = this.services.usage.range(from ?? undefined, to ?? undefined);
    return readUsage('key', key.id, { range, info, context });
  }

  @FieldResolver(() => [RefusalType], {
    description:
      'The latest requests of the key that were rejected with 429, newest first. They are kept as long as usage.',
  })
  async refusals(
    @Root() { key }: ApiKeyType,
    @First()
    first: number | null,
    @Ctx() context: GraphQLContext,
  ): Promise<RefusalType[]> {
    requireProjectAccess(context, key.projectId);
    return context
      .loaders()
      .refusals.load({ id: key.id, first: checkPageSize(first ?? PAGE_SIZE.default, 'first') });
  }
}

@Resolver(() => ProjectType)
export class ProjectUsageResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'usage'>) {}

  // Computed from one record per day.
  @Facts({ weight: { mostItems: 'days', areNodes: true } })
  @FieldResolver(() => UsageType, {
    description: 'The requests made with all keys of the project, on the UTC days of a range.',
  })
  async usage(
    @Root() { project }: ProjectType,
    @Arg('from', () => DateTimeScalar, FROM) from: Date | null,
    @Arg('to', () => DateTimeScalar, TO) to: Date | null,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageType> {
    requireProjectAccess(context, project.id);
    const range = this.services.usage.range(from ?? undefined, to ?? undefined);
    return readUsage('project', project.id, { range, info, context });
  }

  @FieldResolver(() => [RefusalType], {
    description:
      'The latest requests with any key of the project that were rejected with 429, newest first. The gateway keeps the latest 50 of each day, as long as usage.',
  })
  async refusals(
    @Root() { project }: ProjectType,
    @First()
    first: number | null,
    @Ctx() context: GraphQLContext,
  ): Promise<RefusalType[]> {
    requireProjectAccess(context, project.id);
    return context
      .loaders()
      .refusals.load({ id: project.id, first: checkPageSize(first ?? PAGE_SIZE.default, 'first') });
  }
}

@Resolver(() => RefusalType)
export class RefusalResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'clock'>) {}

  @FieldResolver(() => ApiKeyType, {
    nullable: true,
    description: 'The key that the request used. Null if the key no longer exists.',
  })
  async apiKey(@Root() { keyId }: RefusalType, @Ctx() context: GraphQLContext): Promise<ApiKeyType | null> {
    const key = await context.loaders().apiKey.load(keyId);
    return key !== undefined && mayReachKey(context, key) ? ApiKeyType.of(key, this.services.clock) : null;
  }
}

@Resolver(() => UsageType)
export class UsageUnderPlanResolver {
  // For each day of the usage: it reads the day of each key of a project, from an index.
  @Facts({ weight: { mostItems: 4, areNodes: true } })
  @FieldResolver(() => UsageUnderPlanType, {
    description: 'The effect that another plan would have had on the same requests.',
  })
  async underPlan(
    @Root() { kind, id, range }: UsageType,
    @Arg('plan', () => PlanIdEnum, { description: 'The plan to compare with.' }) plan: PlanId,
    @Ctx() { loaders }: GraphQLContext,
  ): Promise<UsageUnderPlanType> {
    return UsageUnderPlanType.of(await loaders().underPlan.load({ of: kind, id, range, plan }));
  }
}

interface AskedUsage {
  range: UsageRange;
  info: GraphQLResolveInfo;
  context: GraphQLContext;
}

async function readUsage(
  kind: UsageOf,
  id: string,
  { range, info, context }: AskedUsage,
): Promise<UsageType> {
  const withDays = info.fieldNodes.some(({ selectionSet }) => selects(selectionSet, 'days', info));
  return UsageType.of(kind, id, await context.loaders().usage.load({ id, range, withDays }));
}

/** Whether a field is somewhere in a selection set, in a fragment or skipped as well. */
function selects(
  set: SelectionSetNode | undefined,
  name: string,
  { fragments }: GraphQLResolveInfo,
): boolean {
  const visited = new Set<string>();
  const isSelected = (below: SelectionSetNode | undefined): boolean =>
    below?.selections.some((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return selection.name.value === name;
        case Kind.INLINE_FRAGMENT:
          return isSelected(selection.selectionSet);
        case Kind.FRAGMENT_SPREAD: {
          const { value } = selection.name;
          if (visited.has(value)) return false;
          visited.add(value);
          return isSelected(fragments[value]?.selectionSet);
        }
      }
    }) ?? false;
  return isSelected(set);
}
