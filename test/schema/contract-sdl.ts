/**
 * What clients of the GraphQL interface were promised: names, nullability, defaults. The schema may have more, never less.
 * Not to be regenerated from the code.
 */
export const CONTRACT_SDL = `
  scalar Int64
  scalar DateTime

  type Query {
    pets(limit: Int = 20, status: PetStatus, after: String): [Pet!]!
    petsConnection(first: Int = 20, after: String, status: PetStatus): PetConnection!
    petsByIds(ids: [Int64!]!): [Pet]!
    pet(id: Int64!): Pet @deprecated(reason: "removed on 5 December 2030")
    quota: Quota!
    plans: [Plan!]!
    project(id: ID!): Project
    projects(first: Int = 20, after: String, filter: ProjectFilter): ProjectConnection!
    apiKey(id: ID!): ApiKey
    apiKeys(
      first: Int = 20
      after: String
      filter: ApiKeyFilter
      orderBy: ApiKeyOrder = createdAt
    ): ApiKeyConnection!
  }

  type Mutation {
    createPet(input: NewPet!): Pet!
    createProject(input: CreateProjectInput!): CreateProjectPayload!
    changePlan(input: ChangePlanInput!): ChangePlanPayload!
    createApiKey(input: CreateApiKeyInput!): CreateApiKeyPayload!
    rotateApiKey(input: RotateApiKeyInput!): RotateApiKeyPayload!
    revokeApiKey(input: RevokeApiKeyInput!): RevokeApiKeyPayload!
    resetQuota(input: ResetQuotaInput!): ResetQuotaPayload!
    liftBan(input: LiftBanInput!): LiftBanPayload!
  }

  type Pet { id: Int64! name: String! categoryId: Int64! status: PetStatus! cursor: String! }
  input NewPet { name: String! categoryId: Int64! status: PetStatus }
  enum PetStatus { available pending sold }

  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type PetConnection { edges: [PetEdge!]! pageInfo: PageInfo! }
  type PetEdge { cursor: String! node: Pet! }
  type ProjectConnection { edges: [ProjectEdge!]! pageInfo: PageInfo! }
  type ProjectEdge { cursor: String! node: Project! }
  type ApiKeyConnection { edges: [ApiKeyEdge!]! pageInfo: PageInfo! }
  type ApiKeyEdge { cursor: String! node: ApiKey! }

  enum PlanId { free pro business enterprise }
  enum ApiKeyRole { browser server owner admin }
  enum ApiKeyState { active expired revoked }
  enum ApiKeyOrder { createdAt lastUsedAt usageToday }
  enum QuotaWindowName { minute day }

  input ProjectFilter { plan: PlanId }
  input ApiKeyFilter {
    projectId: ID
    plan: PlanId
    role: ApiKeyRole
    state: ApiKeyState
    banned: Boolean
    nearLimit: Boolean
    nameContains: String
  }

  type Plan { id: PlanId! name: String! requestsPerMinute: Int requestsPerDay: Int maxApiKeys: Int! }
  type Quota { plan: Plan windows: [QuotaWindow!]! ban: Ban }
  type QuotaWindow { name: QuotaWindowName! limit: Int! used: Int! remaining: Int! resetAt: DateTime }
  type Ban { until: DateTime! offences: Int! }
  type CustomQuota { requestsPerMinute: Int! requestsPerDay: Int! }
  input CustomQuotaInput { requestsPerMinute: Int! requestsPerDay: Int! }

  type Project {
    id: ID!
    name: String!
    plan: Plan!
    customQuota: CustomQuota
    apiKeys(first: Int = 20, after: String): ApiKeyConnection!
  }
  type ApiKey {
    id: ID!
    name: String!
    start: String!
    role: ApiKeyRole!
    state: ApiKeyState!
    project: Project
    allowedOrigins: [String!]!
    createdAt: DateTime!
    expiresAt: DateTime
    lastUsedAt: DateTime
    usageToday: Int!
    asOf: DateTime!
    quota: Quota!
  }

  input CreateProjectInput { name: String! plan: PlanId customQuota: CustomQuotaInput }
  type CreateProjectPayload { project: Project! }
  input ChangePlanInput { projectId: ID! plan: PlanId! customQuota: CustomQuotaInput }
  type ChangePlanPayload { project: Project! }
  input CreateApiKeyInput {
    projectId: ID
    name: String!
    role: ApiKeyRole
    expiresAt: DateTime
    allowedOrigins: [String!]
  }
  type CreateApiKeyPayload { apiKey: ApiKey! secret: String! }
  input RotateApiKeyInput { id: ID! overlapSeconds: Int }
  type RotateApiKeyPayload { apiKey: ApiKey! secret: String! }
  input RevokeApiKeyInput { id: ID! }
  type RevokeApiKeyPayload { apiKey: ApiKey! }
  input ResetQuotaInput { apiKeyId: ID! window: QuotaWindowName }
  type ResetQuotaPayload { quota: Quota! }
  input LiftBanInput { apiKeyId: ID! }
  type LiftBanPayload { quota: Quota! }
`;
