import type { Connection } from 'mongoose';
import type { PlanId } from '../../../../src/features/plans/plans.js';
import { askGraphQL, codesOf, dataOf } from '../../../interfaces/graphql/client.js';
import { startGateway, type TestGateway } from '../../../support/gateway.js';
import { AMPLE } from '../../../support/rest-client.js';

export const PLATFORM_HOST = 'pets.test';

/** A gateway that projects can have domains at. */
export const startDomainsGateway = () =>
  startGateway({ env: { PLATFORM_HOST, PUBLIC_URL: 'http://127.0.0.1:3000' } });

export interface DomainNode {
  id: string;
  name: string;
  unicodeName: string;
  isApex: boolean;
  status: string;
  dnsState: string;
  certificateState: string;
  isPrimary: boolean;
  createdAt: string;
  verifiedAt: string | null;
  certificateExpiresAt: string | null;
  servedUntil: string | null;
  records: { type: string; name: string; fullName: string; value: string; ttl: number }[];
  alternativeRecords: { type: string; value: string }[];
  problem: { code: string; message: string; expected: string | null; found: string | null } | null;
}

export interface ProjectNode {
  slug: string;
  primaryDomain: string;
  domains: DomainNode[];
  redirects: { from: string; to: string; status: number }[];
}

const DOMAIN = `id name unicodeName isApex status dnsState certificateState isPrimary createdAt verifiedAt
  certificateExpiresAt servedUntil records { type name fullName value ttl } alternativeRecords { type value }
  problem { code message expected found at retryAt }`;
const PROJECT = `slug primaryDomain domains { ${DOMAIN} } redirects { from to status }`;

/** The input of each mutation, and what its payload is asked for. */
const MUTATIONS = {
  addDomain: ['AddDomainInput', `domain { ${DOMAIN} } counterpart { ${DOMAIN} }`],
  verifyDomain: ['VerifyDomainInput', `domain { ${DOMAIN} }`],
  setPrimaryDomain: ['SetPrimaryDomainInput', `project { ${PROJECT} }`],
  setRedirect: ['SetRedirectInput', `project { ${PROJECT} }`],
  removeRedirect: ['RemoveRedirectInput', `project { ${PROJECT} }`],
  removeDomain: ['RemoveDomainInput', `domainId project { ${PROJECT} }`],
} as const;
type MutationName = keyof typeof MUTATIONS;
type Input = Record<string, unknown>;

interface Payload {
  domain: DomainNode;
  /** Of `addDomain` alone. */
  counterpart: DomainNode | null;
  domainId: string;
  project: ProjectNode;
}

/** What a client of domains does, with one key. */
export function domainsClient(gateway: TestGateway, key: string, projectId: string) {
  const send = (mutation: MutationName, input: Input) => {
    const [inputType, selection] = MUTATIONS[mutation];
    const query = `mutation ($input: ${inputType}!) { ${mutation}(input: $input) { ${selection} } }`;
    return askGraphQL<Record<string, Payload>>(gateway, key, query, { input });
  };
  const client = {
    send,
    run: async (mutation: MutationName, input: Input): Promise<Payload> => {
      const payload = (await dataOf(send(mutation, input)))[mutation];
      if (payload === undefined) throw new Error('no payload');
      return payload;
    },
    /** The codes that it is refused with; [] when it is not. */
    refusal: (mutation: MutationName, input: Input) => codesOf(send(mutation, input)),
    add: async (name: string) => (await client.run('addDomain', { projectId, name })).domain,
    project: async (): Promise<ProjectNode> => {
      const query = `query ($projectId: ID!) { project(id: $projectId) { ${PROJECT} } }`;
      return (await dataOf(askGraphQL<{ project: ProjectNode }>(gateway, key, query, { projectId }))).project;
    },
    domain: async (id: string): Promise<DomainNode | null> => {
      const query = `query ($id: ID!) { domain(id: $id) { ${DOMAIN} } }`;
      return (await dataOf(askGraphQL<{ domain: DomainNode | null }>(gateway, key, query, { id }))).domain;
    },
  };
  return client;
}

/** A new project with an owner key of it; deployed unless it says otherwise. */
export async function newShop(
  gateway: TestGateway,
  { plan = 'enterprise', deployed = true }: { plan?: PlanId; deployed?: boolean } = {},
) {
  const { services } = gateway;
  const quota = plan === 'enterprise' ? { customQuota: AMPLE } : {};
  const { id: projectId, slug } = await services.projects.create({ name: 'Paws', plan, ...quota });
  if (deployed)
    await services
      .administration({ role: 'command line' })
      .deploySite({ projectId }, [{ path: 'index.html', bytes: Buffer.from('<h1>Paws</h1>') }]);
  const { secret, apiKey } = await services.apiKeys.create({ name: 'owner', role: 'owner', projectId });
  const client = domainsClient(gateway, secret, projectId);
  return { ...client, projectId, keyId: apiKey.id, secret, host: `${slug}.${PLATFORM_HOST}` };
}

/**
 * What looking at DNS and issuing end with, written to the database: those have tests of their own, and these here are
 * about what may be done with a domain then.
 */
export async function markServed(database: Connection, id: string): Promise<void> {
  const notAfter = new Date('2100-01-01T00:00:00Z');
  const { matchedCount } = await database.collection<{ _id: string }>('domains').updateOne(
    { _id: id },
    {
      $set: {
        holds: true,
        dns: { state: 'verified', verifiedAt: new Date(), failures: 0 },
        certificate: {
          state: 'active',
          current: { id: 'crt_test', pem: '', notAfter },
          failures: 0,
        },
        status: 'active',
        actionRequiredAt: notAfter,
      },
    },
  );
  if (matchedCount !== 1) throw new Error(`there is no domain ${id}`);
}
