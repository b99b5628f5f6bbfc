import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Facts } from '../../field-facts.js';
import type { GraphQLContext } from '../context.js';
import { QuotaType, StrikesType } from './quota-types.js';

@Resolver(() => QuotaType)
export class QuotaResolver {
  // A read of its own.
  @Facts({ weight: { mostItems: 1, areNodes: true } })
  @FieldResolver(() => StrikesType, {
    nullable: true,
    description:
      'The strikes that the key has before a ban. Null for keys that get none: browser keys and the key in the setting ADMIN_API_KEY.',
  })
  async strikes(@Root() { key }: QuotaType, @Ctx() { loaders }: GraphQLContext): Promise<StrikesType | null> {
    return (await loaders().strikes.load(key)) ?? null;
  }
}
