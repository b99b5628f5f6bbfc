import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeysService, CreateApiKey } from '../../keys/api-keys-service.js';
import type { Authenticator } from '../../keys/authenticator.js';
import type { Changer } from '../../keys/changer.js';
import type { FileContent } from '../deploys/deploy.js';
import type { DeploysStore } from '../deploys/deploys-store.js';
import type { Project } from '../../projects/project.js';

export interface KeyChanges {
  createApiKey(input: CreateApiKey): Promise<{ secret: string }>;
  rotateApiKey(id: string, overlapSeconds: number): Promise<{ secret: string }>;
}

export interface StorefrontParts {
  apiKeys: Pick<ApiKeysService, 'list'>;
  /** Returns key changes in the name of this changer, each with its audit record. */
  administration: (changer: Changer) => KeyChanges;
  authenticator: Authenticator;
  deploys: Pick<DeploysStore, 'liveSite' | 'blob'>;
  /** The origin of a project's site; undefined if the site cannot be visited. */
  originOf: (project: Project) => string | undefined;
}

const FOLDER = join(__dirname, 'page');
const PAGE = 'index.html';
const KEY_NAME = 'Storefront';
/** The longest overlap that a rotation allows, because earlier deploys of the template contain the previous secret. */
const OVERLAP_SECONDS = 7 * 86_400;
const KEY_IN_PAGE = /<meta name="api-key" content="([^"]*)"/;

/**
 * Returns the files of the built-in storefront for one project. The page contains the project's name and a browser key
 * of its own.
 *
 * Only hashes of keys are stored, so the secret is read from the live storefront and reused while it is valid.
 * Otherwise the existing storefront key is rotated, or a new one is created. The secret is public by design.
 */
export function createStorefront(
  parts: StorefrontParts,
): (project: Project, by: Changer) => Promise<FileContent[]> {
  const { apiKeys, administration, authenticator, deploys, originOf } = parts;

  async function secretFor(project: Project, by: Changer): Promise<string> {
    const deployed = await deployedSecret(project.id);
    if (deployed !== undefined && (await isOf(project, deployed))) return deployed;
    const keys = await apiKeys.list({ projectId: project.id });
    const known = keys.find(
      ({ name, role, revokedAt, disabledAt, expiresAt }) =>
        name === KEY_NAME &&
        role === 'browser' &&
        revokedAt === undefined &&
        disabledAt === undefined &&
        expiresAt === undefined,
    );
    const change = administration(by);
    const { secret } = await (known === undefined
      ? change.createApiKey({
          name: KEY_NAME,
          role: 'browser',
          projectId: project.id,
          // At the site's own hosts, allowed origins are not checked. The reserved name (RFC 2606) admits no other
          // page.
          allowedOrigins: [originOf(project) ?? 'https://storefront.invalid'],
        })
      : change.rotateApiKey(known.id, OVERLAP_SECONDS));
    return secret;
  }

  async function deployedSecret(projectId: string): Promise<string | undefined> {
    const site = await deploys.liveSite(projectId);
    const page = site?.files.find(({ path }) => path === PAGE);
    const blob = site && page && (await deploys.blob(site.deployId, page.sha256));
    return blob && KEY_IN_PAGE.exec(blob.bytes.toString())?.[1];
  }

  async function isOf(project: Project, secret: string): Promise<boolean> {
    const caller = await authenticator.authenticate(secret).catch(() => undefined);
    return caller?.key.role === 'browser' && caller.key.projectId === project.id;
  }

  return async (project, by) => {
    const values = { storeName: project.name, apiKey: await secretFor(project, by) };
    const paths = (await readdir(FOLDER)).toSorted();
    return Promise.all(
      paths.map(async (path) => {
        const bytes = await readFile(join(FOLDER, path));
        return { path, bytes: path.endsWith('.html') ? Buffer.from(fill(bytes.toString(), values)) : bytes };
      }),
    );
  };
}

/** Replaces each `{{name}}` in the page with its value, escaped as text. */
function fill(page: string, values: Readonly<Record<string, string>>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
