import { Arg, Int } from 'type-graphql';
import { PAGE_SIZE } from '../pets/page.js';

/** The size of a page, as a parameter of a resolver; an explicit null means the default. */
export const First = () =>
  Arg('first', () => Int, {
    nullable: true,
    defaultValue: PAGE_SIZE.default,
    description: 'At most so many, 1 to 100.',
  });

/** Where a page begins, as a parameter of a resolver. */
export const After = () =>
  Arg('after', () => String, { nullable: true, description: 'A cursor of an earlier page.' });
