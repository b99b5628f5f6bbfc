import { Arg, Int } from 'type-graphql';
import { PAGE_SIZE } from '../../../features/pets/page.js';

/** The size of a page, as a parameter of a resolver; an explicit null means the default. */
export const First = () =>
  Arg('first', () => Int, {
    nullable: true,
    defaultValue: PAGE_SIZE.default,
    description: `How many items the page has at most, ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}. Defaults to ${PAGE_SIZE.default}.`,
  });

/** Where a page begins, as a parameter of a resolver. */
export const After = () =>
  Arg('after', () => String, {
    nullable: true,
    description:
      'The cursor of an item of an earlier page: this page begins after it. Null or left out: at the beginning.',
  });
