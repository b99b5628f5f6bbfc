import { askGraphQL, dataOf } from '../../../interfaces/graphql/client.js';
import type { TestGateway } from '../../../support/gateway.js';
import { AMPLE } from '../../../support/rest-client.js';

export interface DeployNode {
  id: string;
  number: number;
  state: string;
  createdByKeyId: string | null;
  createdByRole: string;
  message: string | null;
  spa: boolean;
  fileCount: number | null;
  sizeBytes: number | null;
  problem: string | null;
  notLiveReason: string | null;
  isLive: boolean;
}

export interface Upload {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  expiresAt: string;
  maxBytes: number;
}

const FIELDS =
  'id number state createdAt createdByKeyId createdByRole message spa fileCount sizeBytes problem notLiveReason isLive';

/** What a client of the deploys does, with one key. */
export function deployClient(gateway: TestGateway, key: string, projectId: string) {
  const ask = <T>(query: string, variables: Record<string, unknown> = {}) =>
    dataOf(askGraphQL<T>(gateway, key, query, variables));
  const client = {
    create: async (input: Record<string, unknown> = {}) =>
      (
        await ask<{ createDeploy: { deploy: DeployNode; upload: Upload | null } }>(
          `mutation ($input: CreateDeployInput!) {
            createDeploy(input: $input) {
              deploy { ${FIELDS} } upload { method url headers { name value } expiresAt maxBytes }
            }
          }`,
          { input: { projectId, ...input } },
        )
      ).createDeploy,
    send: (deployId: string, archive: Buffer, headers: Record<string, string> = {}) =>
      gateway.request(`/deploys/${deployId}/archive`, {
        method: 'PUT',
        key,
        body: new Uint8Array(archive),
        headers: { 'content-type': 'application/gzip', ...headers },
      }),
    /** Creates and uploads as the answer says; gives the deploy that went live. */
    deploy: async (archive: Buffer): Promise<DeployNode> => {
      const { deploy } = await client.create();
      const answer = await client.send(deploy.id, archive);
      const body = (await answer.json()) as DeployNode;
      expect({ status: answer.status, body }).toMatchObject({ status: 201 });
      return body;
    },
    rollback: async (deployId: string) =>
      (
        await ask<{ rollbackDeploy: { deploy: DeployNode; project: { liveDeploy: DeployNode } } }>(
          `mutation ($input: RollbackDeployInput!) {
            rollbackDeploy(input: $input) { deploy { ${FIELDS} } project { liveDeploy { ${FIELDS} } } }
          }`,
          { input: { projectId, deployId } },
        )
      ).rollbackDeploy,
    list: async (first = 20, after: string | null = null) => {
      const { project } = await ask<{
        project: {
          liveDeploy: DeployNode | null;
          deploys: { edges: { node: DeployNode; cursor: string }[]; pageInfo: { hasNextPage: boolean } };
        };
      }>(
        `query ($id: ID!, $first: Int, $after: String) { project(id: $id) {
          liveDeploy { ${FIELDS} }
          deploys(first: $first, after: $after) { edges { cursor node { ${FIELDS} } } pageInfo { hasNextPage } }
        } }`,
        { id: projectId, first, after },
      );
      return { ...project, nodes: project.deploys.edges.map(({ node }) => node) };
    },
    /** The live site's files with their bytes, as a visitor would get them. */
    live: async (): Promise<Record<string, string> | undefined> => {
      const { deploysStore } = gateway.services;
      const site = await deploysStore.liveSite(projectId);
      if (site === undefined) return undefined;
      const files: Record<string, string> = {};
      for (const { path, sha256 } of site.files)
        files[path] = (await deploysStore.blob(site.deployId, sha256))?.bytes.toString() ?? 'no such blob';
      return files;
    },
  };
  return client;
}

/** A new project with an owner key, and the client of its deploys. */
export async function newShop(gateway: TestGateway) {
  const { secret, apiKey } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  return { secret, keyId: apiKey.id, projectId, ...deployClient(gateway, secret, projectId) };
}
