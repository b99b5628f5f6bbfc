import { Field, ObjectType } from 'type-graphql';

@ObjectType('PageInfo', {
  simpleResolvers: true,
  description: 'The position of a page in its list (Relay connection specification, section 5).',
})
export class PageInfoType {
  @Field(() => Boolean, { description: 'Whether more items follow `endCursor`.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the page was requested with `after`, so that items precede it.',
  })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first edge, or null if the page is empty.',
  })
  startCursor?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the last edge. Pass it as `after` to get the next page. Null if the page is empty.',
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
