import { BASE_PATH } from './api-version.js';
import type { Deprecation, Operation, Operations } from './operation.js';

const STABLE: Operation = { since: '1.0.0', stability: 'stable' };
const BETA: Operation = { since: '1.0.0', stability: 'beta' };
const EXPERIMENTAL: Operation = { since: '1.0.0', stability: 'experimental' };

/** Specification 4.3 and 9, and its twin over GraphQL. */
const GET_PET_ENDS: Deprecation = {
  // The day of the interface's 1.0.0; that of the gateway has a day of its own, in CHANGELOG.md.
  deprecatedMs: Date.parse('2026-11-21T00:00:00Z'),
  sunsetMs: Date.parse('2030-12-05T00:00:00Z'),
  instead: `Use GET ${BASE_PATH}/pets with a status filter, or petsByIds over GraphQL.`,
  successor: '/pets',
};

/**
 * Every operation of both interfaces: since when, how stable, and until when. Headers, both schemas, the reference, the page
 * docs/versioning.md and the removal itself follow from here: whatever changes, changes here.
 */
export const OPERATIONS: Operations = {
  rest: {
    listPets: STABLE,
    createPet: STABLE,
    getPet: { ...STABLE, deprecation: GET_PET_ENDS },
  },
  graphql: {
    'Query.pets': STABLE,
    'Query.petsConnection': STABLE,
    'Query.petsByIds': STABLE,
    'Query.pet': {
      ...STABLE,
      deprecation: { ...GET_PET_ENDS, instead: 'Use pets with a status filter, or petsByIds.' },
    },
    'Query.quota': STABLE,
    'Query.plans': STABLE,
    'Query.project': STABLE,
    'Query.projects': STABLE,
    'Query.apiKey': STABLE,
    'Query.apiKeys': STABLE,
    'Mutation.createPet': STABLE,
    'Mutation.createProject': STABLE,
    'Mutation.changePlan': STABLE,
    'Mutation.createApiKey': STABLE,
    'Mutation.rotateApiKey': STABLE,
    'Mutation.revokeApiKey': STABLE,
    'Mutation.resetQuota': STABLE,
    'Mutation.liftBan': STABLE,

    // What is kept of a deleted project, and for how long, may still change.
    'Mutation.deleteProject': BETA,

    // What an action is called and how values are written may still become more exact.
    'Query.auditLog': BETA,

    // Sites and domains have not met many registrars and authorities yet: problems and states may be added or split.
    'Query.domain': BETA,
    'Mutation.addDomain': BETA,
    'Mutation.verifyDomain': BETA,
    'Mutation.setPrimaryDomain': BETA,
    'Mutation.setRedirect': BETA,
    'Mutation.removeRedirect': BETA,
    'Mutation.removeDomain': BETA,
    'Mutation.createDeploy': BETA,
    'Mutation.rollbackDeploy': BETA,
    'Project.slug': BETA,
    'Project.site': BETA,
    'Project.domains': BETA,
    'Project.primaryDomain': BETA,
    'Project.redirects': BETA,
    'Project.deploys': BETA,
    'Project.liveDeploy': BETA,

    // Which questions people ask of their usage is not known yet.
    'ApiKey.usage': BETA,
    'ApiKey.refusals': BETA,
    'Project.usage': BETA,

    // For who operates this very gateway: it tells of stores and workers, which change as the inside does.
    'Query.systemHealth': EXPERIMENTAL,
  },
};
