import { Arg, Int, Field, ObjectType } from 'type-graphql';
import { PAGE_SIZE } from '../../../lib/page-size.js';

/** The page size, as a parameter of a resolver; an explicit null means the default. */
export const First = () =>
  Arg('first', () => Int, {
    nullable: true,
    defaultValue: PAGE_SIZE.default,
    description: `The maximum number of items on the page, ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}. Defaults to ${PAGE_SIZE.default}.`,
  });

/** The cursor after which a page begins, as a parameter of a resolver. */
export const After = () =>
  Arg('after', () => String, {
    nullable: true,
    description:
      'The cursor of an item on an earlier page. This page starts after that item. If null or omitted, it starts at the beginning.',
  });

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
