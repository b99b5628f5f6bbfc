import express from 'express';
import { API_KEY_ROLES, type ApiKeyRole } from '../../../src/features/keys/api-key.js';
import { createCaller } from '../../../src/features/keys/caller.js';
import { requestContextOf } from '../../../src/http/steps/request-context.js';
import { acceptsJson, onlyRoles } from '../../../src/interfaces/rest/route-checks.js';
import { adminKey } from '../../support/admin-key.js';
import { serveSteps, type StepServer } from '../../support/step-server.js';

let server: StepServer;
beforeAll(async () => {
  const app = express()
    .use((req, res, next) => {
      const role = req.path.slice(1) as ApiKeyRole;
      requestContextOf(res).caller = createCaller({ ...adminKey().key, role }, undefined, 60, 'hash');
      next();
    })
    .use(onlyRoles('server', 'owner'), acceptsJson, (_req, res) => {
      res.json({});
    });
  server = await serveSteps(app);
});
afterAll(() => server.close());

test.each(API_KEY_ROLES)('a route for server and owner keys, asked with a %s key', async (role) => {
  const { status, body } = await server.ask(`/${role}`);
  const isAllowed = role === 'server' || role === 'owner';
  expect([status, body]).toEqual(
    isAllowed
      ? [200, {}]
      : [
          403,
          {
            code: 'forbidden',
            message: `A key with the role ${role} cannot use the REST interface. Use GraphQL, or a server key.`,
            details: { role },
          },
        ],
  );
});

test.each([
  'application/json',
  '*/*',
  'application/*',
  'text/html, application/json;q=0.1',
  'application/json; charset=utf-8',
])('Accept: %s takes JSON', async (accept) => {
  expect((await server.ask('/server', { accept })).status).toBe(200);
});

test.each(['text/html', 'application/xml, text/*', 'application/json;q=0'])(
  'Accept: %s does not: 406',
  async (accept) => {
    const { status, body } = await server.ask('/server', { accept });
    expect([status, body]).toEqual([
      406,
      {
        code: 'not_acceptable',
        message: 'Responses are application/json, which the Accept header excludes.',
      },
    ]);
  },
);
