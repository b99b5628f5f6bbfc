import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges } from 'graphql';
import { createSchema, printSdl } from '../../src/interfaces/graphql/schema/schema.js';
import { startGateway } from '../support/gateway.js';
import { CONTRACT_SDL } from './contract-sdl.js';

const FILE = join(__dirname, '../../schema/schema.graphql');

let running: string;
beforeAll(async () => {
  const gateway = await startGateway();
  running = printSdl(createSchema(gateway.services));
  await gateway.close();
});

it('schema/schema.graphql is the schema that runs (UPDATE_SCHEMA=1 rewrites it)', async () => {
  if (process.env['UPDATE_SCHEMA'] === '1') await writeFile(FILE, running);
  expect(await readFile(FILE, 'utf8')).toBe(running);
});

describe('what clients of the GraphQL interface were promised', () => {
  const promised = buildSchema(CONTRACT_SDL);

  it('is there: every name, nullability and default', () => {
    const ours = buildSchema(running);
    const changes = [
      ...findBreakingChanges(promised, ours),
      ...findDangerousChanges(promised, ours).filter(
        ({ type }) => type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
      ),
    ];
    expect(changes.map(({ description }) => description)).toEqual([]);
  });

  it('has the twin of getPet deprecated, and nothing else', () => {
    const deprecated = Object.values(buildSchema(running).getQueryType()?.getFields() ?? {}).filter(
      ({ deprecationReason }) => deprecationReason !== undefined && deprecationReason !== null,
    );
    expect(deprecated.map(({ name }) => name)).toEqual(['pet']);
  });
});
