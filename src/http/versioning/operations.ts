import { BETA, EXPERIMENTAL, STABLE, type Operation } from './operation.js';
import {
  GET_PET_ENDS,
  REST_OPERATIONS,
  type RestOperation,
  type RestOperationId,
} from './rest-operations.js';

export interface Operations {
  /** By operationId. */
  rest: Readonly<Record<RestOperationId, RestOperation>>;
  /**
   * By schema coordinate, such as `Query.pets`: each root field, and other fields whose stability differs from their
   * parent's.
   */
  graphql: Readonly<Record<string, Operation>>;
}

/**
 * Every operation of both interfaces: its first version, its stability and its removal. Headers, both schemas, the
 * reference, docs/versioning.md and the removal itself are derived from this object, so make changes here.
 */
export const OPERATIONS: Operations = {
  rest: REST_OPERATIONS,
  graphql: {
    'Query.pets': STABLE,
    'Query.petsConnection': STABLE,
    'Query.petsByIds': STABLE,
    'Query.pet': {
      ...STABLE,
      deprecation: { ...GET_PET_ENDS, instead: 'Use petsByIds(ids: [id]).' },
    },
    'Query.quota': STABLE,
    'Query.plans': STABLE,
    'Query.project': STABLE,
    'Query.projects': STABLE,
    'Query.apiKey': STABLE,
    'Query.apiKeys': STABLE,
    'Mutation.createPet': STABLE,
    // Shelters have just begun to use them.
    'Mutation.updatePet': BETA,
    'Mutation.deletePet': BETA,
    'Mutation.deleteProjectPets': BETA,
    'Pet.project': BETA,
    'Pet.externalId': BETA,
    'Pet.createdAt': BETA,
    'Mutation.createProject': STABLE,
    'Mutation.changePlan': STABLE,
    'Mutation.createApiKey': STABLE,
    'Mutation.rotateApiKey': STABLE,
    'Mutation.revokeApiKey': STABLE,
    'Mutation.resetQuota': STABLE,
    'Mutation.liftBan': STABLE,

    'PetConnection.totalCount': BETA,
    'Project.siteAnimals': BETA,
    'Project.hasPets': BETA,
    'Mutation.updateProject': BETA,
    'Mutation.updateApiKey': BETA,
    'Mutation.disableApiKey': BETA,
    'Mutation.enableApiKey': BETA,

    // Owners have just begun to invite people.
    'Mutation.createInvitation': BETA,
    'Mutation.renewInvitation': BETA,
    'ApiKey.invitedUntil': BETA,

    'Query.petsImport': BETA,
    'Mutation.createPetsImport': BETA,
    'Mutation.startPetsImport': BETA,

    // Which data of a deleted project is kept, and for how long, may still change.
    'Mutation.deleteProject': BETA,

    // The names of actions and the form of values may still become more exact.
    'Query.auditLog': BETA,

    // Sites and domains have been used with few registrars and certificate authorities: problems and states may be
    // added or split.
    'Query.domain': BETA,
    'Mutation.addDomain': BETA,
    'AddDomainPayload.obstacles': BETA,
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
    'Quota.strikes': BETA,
    'Quota.isStoreDown': BETA,
    'ApiKey.refusals': BETA,
    'Project.usage': BETA,
    'Project.refusals': BETA,
    'Query.traffic': BETA,

    // For the operator of this gateway: it describes stores and workers, which change with the implementation.
    'Query.systemHealth': EXPERIMENTAL,
  },
};
