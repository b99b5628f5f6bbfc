import { BASE_PATH } from './api-version.js';
import type { Deprecation, Operation, Operations } from './operation.js';

const STABLE: Operation = { since: '1.0.0', stability: 'stable' };
const BETA: Operation = { since: '1.0.0', stability: 'beta' };
const EXPERIMENTAL: Operation = { since: '1.0.0', stability: 'experimental' };

/** Specification 4.3 and 9, and the same operation over GraphQL. */
const GET_PET_ENDS: Deprecation = {
  // The date of the interface's version 1.0.0. The gateway's release date is in CHANGELOG.md.
  deprecatedMs: Date.parse('2026-11-21T00:00:00Z'),
  sunsetMs: Date.parse('2030-12-05T00:00:00Z'),
  instead: `Use GET ${BASE_PATH}/pets with a status filter, or petsByIds over GraphQL.`,
  successor: '/pets',
};

/**
 * Every operation of both interfaces: its first version, its stability and its removal. Headers, both schemas, the
 * reference, docs/versioning.md and the removal itself are derived from this object, so make changes here.
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

    'Mutation.updateProject': BETA,
    'Mutation.updateApiKey': BETA,

    // Which data of a deleted project is kept, and for how long, may still change.
    'Mutation.deleteProject': BETA,

    // The names of actions and the form of values may still become more exact.
    'Query.auditLog': BETA,

    // Sites and domains have been used with few registrars and certificate authorities: problems and states may be
    // added or split.
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

    // The questions that people have about their usage are not known yet.
    'ApiKey.usage': BETA,
    'ApiKey.refusals': BETA,
    'Project.usage': BETA,
    'Project.refusals': BETA,
    'Query.traffic': BETA,

    // For the operator of this gateway: it describes stores and workers, which change with the implementation.
    'Query.systemHealth': EXPERIMENTAL,
  },
};
