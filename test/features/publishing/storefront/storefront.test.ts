import { launchChromium } from '../../../support/chromium.js';
import { seriousFaults } from '../../../support/dashboard.js';
import type { Project } from '../../../../src/features/projects/project.js';
import { AMPLE, PLATFORM_HOST, startPlatform, visit } from '../../../interfaces/sites/visitor.js';
import { useStarted } from '../../../support/gateway.js';

// All that a visitor can do with it: test/thorough/storefront.

const gateway = useStarted(startPlatform);

const change = () => gateway.services.administration({ role: 'command line' });
const hostOf = ({ slug }: Project) => `${slug}.${PLATFORM_HOST}`;

async function deployStorefront(): Promise<Project> {
  const project = await gateway.services.projects.create({
    name: 'Paws & <Claws>',
    plan: 'enterprise',
    customQuota: AMPLE,
  });
  await change().createDeploy({ projectId: project.id, template: 'storefront' });
  return project;
}

async function keyIn(project: Project): Promise<string> {
  const { text } = await visit(gateway, hostOf(project), '/');
  return /<meta name="api-key" content="(pets_live_\w+)"/.exec(text)?.[1] ?? '';
}

const storefrontKeys = (project: Project) => gateway.services.apiKeys.list({ projectId: project.id });

test('shows the animals in a browser, every name as text, and asks for nothing from elsewhere', async () => {
  const names = ['Luna', `<img src="x" onerror="document.title = 'taken over'">`, 'سيمبا'];
  const project = await deployStorefront();
  await gateway.services.petsStore.insertMany(
    names.map((name) => ({ name, categoryId: 1n, status: 'available' as const })),
    project.id,
  );
  const site = `http://${hostOf(project)}:${new URL(gateway.url).port}`;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const heard: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== site) heard.push(request.url());
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) heard.push(message.text());
    });
    page.on('pageerror', (error) => heard.push(String(error)));
    await page.goto(site);
    await page.getByText('Luna').waitFor();
    expect(await page.locator('.animal .name').allInnerTexts()).toEqual(names);
    expect(await page.title()).toContain('Paws & <Claws>');
    expect(await seriousFaults(page)).toEqual([]);
    expect(heard).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('its scripts are small', async () => {
  const host = hostOf(await deployStorefront());
  const sizes = await Promise.all(
    ['/storefront.js', '/read-animals.js', '/portrait.js'].map(async (path) => {
      const { headers, bytes } = await visit(gateway, host, path, { headers: { 'accept-encoding': 'gzip' } });
      expect(headers['content-encoding']).toBe('gzip');
      return bytes.length;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(6 * 1024);
});

describe('its key', () => {
  test('is a browser key of the project, created by the key that deploys', async () => {
    const project = await deployStorefront();
    expect(await storefrontKeys(project)).toMatchObject([
      {
        name: 'Storefront',
        role: 'browser',
        allowedOrigins: [`http://${project.slug}.${PLATFORM_HOST}:3000`],
      },
    ]);
    const { key } = await gateway.services.authenticator.authenticate(await keyIn(project));
    expect(key.projectId).toBe(project.id);
  });

  test('is the same in the next deploy, so that a rollback works', async () => {
    const project = await deployStorefront();
    const first = await keyIn(project);
    await change().createDeploy({ projectId: project.id, template: 'storefront' });
    expect([await keyIn(project), (await storefrontKeys(project)).length]).toEqual([first, 1]);
  });

  test('is replaced after it is revoked', async () => {
    const project = await deployStorefront();
    const first = await keyIn(project);
    const [key] = await storefrontKeys(project);
    await change().revokeApiKey(key?.id ?? '');
    await change().createDeploy({ projectId: project.id, template: 'storefront' });
    expect(await keyIn(project)).not.toBe(first);
    expect(await storefrontKeys(project)).toHaveLength(2);
  });
});
