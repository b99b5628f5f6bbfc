import { Field, ObjectType } from 'type-graphql';

@ObjectType('PageInfo', {
  simpleResolvers: true,
  description: 'Where a page stands in its list (Relay connection specification, section 5).',
})
export class PageInfoType {
  @Field(() => Boolean, { description: 'Whether more follows `endCursor`.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the page was asked for with `after`, so that something comes before it.',
  })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first edge; null on an empty page.',
  })
  startCursor?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last edge: pass it as `after` for the next page. Null on an empty page.',
  })
  endCursor?: string | undefined;

  static of(
    edges: readonly { cursor: string }[],
    hasNextPage: boolean,
    hasPreviousPage: boolean,
  ): PageInfoType {
    return { hasNextPage, hasPreviousPage, startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor };
  }
}
