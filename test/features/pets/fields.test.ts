import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportPets } from '../../../src/cli/export-pets.js';
import { exportProject } from '../../../src/cli/pets/export-project.js';
import { readExportedLine } from '../../../src/cli/exported-line.js';
import { FILE_FORMATS } from '../../../src/features/synchronization/pets-import.js';
import { readRows, type RowBatch } from '../../../src/features/synchronization/read-rows.js';
import { insertLines } from '../../../src/features/pets/import/insert-lines.js';
import { parseLine } from '../../../src/features/pets/import/parse-line.js';
import { PET_FIELDS, type NewPet } from '../../../src/features/pets/pet.js';
import { askGraphQL, dataOf } from '../../interfaces/graphql/client.js';
import { useGateway } from '../../support/gateway.js';
import { openApiDocument } from '../../support/openapi-document.js';
import { AMPLE } from '../../support/rest-client.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

type Every<T> = { [Field in keyof Required<T>]: NonNullable<T[Field]> };
/** Two values of each field, neither of them a default. */
const PIXEL: Every<NewPet> = { name: 'Pixel', categoryId: 2n ** 53n + 1n, status: 'sold' };
const LUNA: Every<NewPet> = { name: 'Luna', categoryId: -7n, status: 'pending' };

/** Pixel, but for one field. */
const others = PET_FIELDS.map((field) => ({ field, other: { ...PIXEL, [field]: LUNA[field] } }));
const mapped = (pet: object, map: (value: unknown) => unknown) =>
  Object.entries(pet).map(([field, value]: [string, unknown]) => [field, map(value)] as const);
const jsonOf = (pet: object) =>
  `{${mapped(pet, (value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)))
    .map(([field, json]) => `"${field}":${String(json)}`)
    .join(',')}}`;
const SELECTION = `{ ${PET_FIELDS.join(' ')} }`;
/** As GraphQL answers: an int64 is a text. */
const inGraphQL = (pet: object) =>
  Object.fromEntries(mapped(pet, (value) => (typeof value === 'bigint' ? String(value) : value)));

const folder = useTemporaryFolder();
const gateway = useGateway();
let key: string;
let projectId: string | undefined;
beforeAll(async () => {
  const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE);
  [key, projectId] = [secret, apiKey.projectId];
});

const createOverRest = (pet: NewPet, idempotencyKey?: string) =>
  gateway.request('/v1/pets', {
    method: 'POST',
    key,
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: jsonOf(pet),
  });
const importLine = (line: string) =>
  insertLines(
    { lines: [parseLine(line)], firstLine: 1, firstId: 0n, idsAbove: 0n, createdAt: new Date(0) },
    gateway.services.petsStore,
  );

test('a pet that is created over REST is answered, stored and read with each field, over both interfaces', async () => {
  const created = await createOverRest(PIXEL);
  const body = await created.text();
  const [, id = ''] = /"id":(\d+)/.exec(body) ?? [];
  const whole = jsonOf({ id: BigInt(id), ...PIXEL });
  expect(body).toBe(whole);
  expect(await (await gateway.request(`/v1/pets/${id}`, { key })).text()).toBe(whole);
  expect(await (await gateway.request(`/v1/pets?limit=100`, { key })).text()).toContain(whole);
  expect(await dataOf(askGraphQL(gateway, key, `{ petsByIds(ids: [${id}]) ${SELECTION} }`))).toEqual({
    petsByIds: [inGraphQL(PIXEL)],
  });
});

test('a pet that is created over GraphQL has each field', async () => {
  const mutation = `mutation ($input: NewPet!) { createPet(input: $input) ${SELECTION} }`;
  expect(await dataOf(askGraphQL(gateway, key, mutation, { input: inGraphQL(PIXEL) }))).toEqual({
    createPet: inGraphQL(PIXEL),
  });
});

test('an imported pet has each field, and so has its line in an export', async () => {
  const pet = { id: 1_000_000n, ...PIXEL };
  expect((await importLine(jsonOf(pet))).counts).toEqual({ imported: 1, unchanged: 0, rejected: 0 });
  expect(await gateway.services.petsStore.get(pet.id)).toEqual({ ...pet, createdAt: new Date(0) });
  expect((await importLine(jsonOf(pet))).counts).toEqual({ imported: 0, unchanged: 1, rejected: 0 });
  const path = join(folder(), 'pets.ndjson');
  await exportPets(gateway.services.petsStore, { path, status: undefined });
  expect((await readFile(path, 'utf8')).split('\n')).toContain(jsonOf(pet));
  expect(readExportedLine(jsonOf(pet))?.id).toBe(pet.id);
});

test.each(FILE_FORMATS)(
  'an import reads each field of what an export of a project wrote as %s',
  async (format) => {
    const entry = { id: 1n, externalId: 'A-17', ...PIXEL, project: undefined, createdAt: new Date(0) };
    const page = () => Promise.resolve({ entries: [{ ...entry, cursor: '' }], hasMore: false });
    const path = join(folder(), `project.${format}`);
    await exportProject({ maxPage: 1, page }, { isOfAll: false }, format, path);
    const batches: RowBatch[] = [];
    for await (const batch of readRows({ chunks: createReadStream(path), format, ignoreUnknown: false }))
      batches.push(batch);
    const row = { line: format === 'csv' ? 2 : 1, externalId: 'A-17', ...PIXEL };
    expect(batches).toEqual([{ rows: [row], rejections: [] }]);
  },
);

describe.each(others)('another $field', ({ field, other }) => {
  test('under the same Idempotency-Key is another request', async () => {
    expect((await createOverRest(PIXEL, `other-${field}`)).status).toBe(201);
    expect((await createOverRest(other, `other-${field}`)).status).toBe(422);
  });

  test('under the same id is another pet to an import', async () => {
    const id = 2_000_000n + BigInt(PET_FIELDS.indexOf(field));
    await importLine(jsonOf({ id, ...PIXEL }));
    expect((await importLine(jsonOf({ id, ...other }))).counts).toMatchObject({ unchanged: 0, rejected: 1 });
  });
});

describe.each(PET_FIELDS)('%s', (field) => {
  const value = inGraphQL(LUNA)[field];
  const condition = `if${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const update = (input: object) =>
    askGraphQL(
      gateway,
      key,
      `mutation ($input: UpdatePetInput!) { updatePet(input: $input) { pet ${SELECTION} } }`,
      { input },
    );

  test('can be changed over REST and GraphQL', async () => {
    const pet = await gateway.services.pets.create(PIXEL, projectId);
    const overRest = await gateway.request(`/v1/pets/${pet.id}`, {
      method: 'PATCH',
      key,
      headers: { 'content-type': 'application/json' },
      body: jsonOf({ [field]: LUNA[field] }),
    });
    expect(await overRest.text()).toBe(jsonOf({ id: pet.id, ...PIXEL, [field]: LUNA[field] }));
    expect((await update({ id: String(pet.id), ...inGraphQL(PIXEL), [field]: value })).data).toEqual({
      updatePet: { pet: { ...inGraphQL(PIXEL), [field]: value } },
    });
  });

  test('can be a precondition of a change, whose failure shows each field', async () => {
    const { id } = await gateway.services.pets.create(PIXEL, projectId);
    const { errors = [] } = await update({ id: String(id), ...inGraphQL(PIXEL), [condition]: value });
    expect(errors[0]?.extensions).toMatchObject({
      code: 'precondition_failed',
      details: inGraphQL(PIXEL),
    });
  });
});

/** They show or take an animal, and nothing else compares them with the fields. */
const PLACES = [
  'clients/typescript/README.md',
  'dashboard/pages/animals/animal-documents.graphql',
  'dashboard/pages/animals/animal-table.tsx',
  'dashboard/pages/animals/edit-animal.tsx',
  'dashboard/pages/animals/import/import-page.tsx',
  'docs/http.md',
  'docs/import.md',
  'docs/quickstart.md',
  'docs/your-animals.md',
  'src/features/publishing/storefront/page/read-animals.js',
  'src/features/publishing/storefront/page/storefront.js',
];

test.each(PLACES)('%s has each field', async (place) => {
  const words = (await readFile(join(__dirname, '../../..', place), 'utf8')).split(/\W+/);
  expect(words).toEqual(expect.arrayContaining([...PET_FIELDS]));
});

test.each([
  ['NewPet', PET_FIELDS],
  ['Pet', ['id', ...PET_FIELDS]],
])('the OpenAPI document has each field of %s', (name, fields) => {
  const { properties } = openApiDocument().components.schemas[name] as { properties: object };
  expect(Object.keys(properties)).toEqual(fields);
});
