/** Specification 4.3 and 9: getPet is deprecated since 1.0.0 and removed on 5 December 2030. Declared here once. */
export const GET_PET_DEPRECATION = {
  /** The release date of 1.0.0. */
  deprecatedMs: Date.parse('2026-11-21T00:00:00Z'),
  sunsetMs: Date.parse('2030-12-05T00:00:00Z'),
  reason:
    'getPet is removed on 5 December 2030. List pets by status instead, or ask for pets by their ids with petsByIds.',
  removedMessage:
    'getPet was removed on 5 December 2030. Use GET /v1/pets with a status filter, or petsByIds over GraphQL.',
} as const;
