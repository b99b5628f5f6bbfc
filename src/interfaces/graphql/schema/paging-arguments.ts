import { Arg, Int } from 'type-graphql';
import { PAGE_SIZE } from '../../../features/pets/page.js';

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
