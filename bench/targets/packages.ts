import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmPackages } from '../../test/conformance/provide-tools.js';

export const PARSE_SERVER = '9.10.0';
export const MERCURIUS = '16.10.1';
export const YOGA = '5.24.1';
const EXPRESS_INTEGRATION = '1.1.2';
const FASTIFY = '5.12.8';

/** The node_modules folder with Apollo's Express integration, and with Apollo and Express in the gateway's versions. */
export function apolloPackages(): Promise<string> {
  return npmPackages('bench-apollo', {
    ...gatewayVersions('@apollo/server', 'express', 'graphql'),
    '@as-integrations/express5': EXPRESS_INTEGRATION,
  });
}

/** With Fastify, and with the compiler of queries whose exact version Mercurius names itself. */
export function mercuriusPackages(): Promise<string> {
  return npmPackages('bench-mercurius', {
    mercurius: MERCURIUS,
    fastify: FASTIFY,
    ...gatewayVersions('graphql'),
  });
}

export function yogaPackages(): Promise<string> {
  return npmPackages('bench-yoga', { 'graphql-yoga': YOGA, ...gatewayVersions('graphql') });
}

export function parsePackages(): Promise<string> {
  return npmPackages('bench-parse-server', { 'parse-server': PARSE_SERVER, ...gatewayVersions('express') });
}

/** The exact versions that package.json asks for. */
export function gatewayVersions(...names: readonly string[]): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.fromEntries(names.map((name) => [name, manifest.dependencies[name] ?? '']));
}
