import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

/** A cache that joins the pages of a list. Int64 values stay strings, so that no digit is lost. */
export const createCache = () =>
  new InMemoryCache({
    typePolicies: {
      Query: {
        fields: {
          // The arguments that select a list. Without `filter` here, the animals of two filters mix in one list.
          petsConnection: relayStylePagination(['status', 'filter', 'orderBy']),
          // An animal that the cache has needs no request. One that it lacks makes Apollo ask for all of them.
          petsByIds(existing, { args, canRead, toReference }) {
            const pets = args.ids.map((id) => toReference({ __typename: 'Pet', id: String(id) }));
            return existing ?? (pets.every(canRead) ? pets : undefined);
          },
        },
      },
    },
  });
