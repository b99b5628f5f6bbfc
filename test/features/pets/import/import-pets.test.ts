import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { highestIdIn } from '../../../../src/features/pets/import/import-pets.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';

const folder = useTemporaryFolder();

async function highestOf(...lines: readonly string[]): Promise<bigint> {
  const path = join(folder(), 'pets.ndjson');
  await writeFile(path, lines.join('\n'));
  return highestIdIn(path);
}

const pet = (id: string | number) => `{"id":${id},"name":"A","categoryId":1}`;

test('finds the highest id of a pet, in any order', async () => {
  expect(await highestOf(pet(1), pet(2), pet(30))).toBe(30n);
  expect(await highestOf(pet(30), pet(2), pet(1))).toBe(30n);
  expect(await highestOf(pet(2), pet(30), pet(1))).toBe(30n);
  expect(await highestOf('{"name":"A","categoryId":1}')).toBe(0n);
});

test('to the last digit, where numbers are rounded', async () => {
  expect(await highestOf(pet('9007199254740993'), pet('9007199254740992'))).toBe(9007199254740993n);
  expect(await highestOf(pet('9007199254740992'), pet('9007199254740993'))).toBe(9007199254740993n);
});

test.each([
  '{"\\u0069d":7,"name":"A","categoryId":1}',
  '{"name":"A","id" : 7 ,"categoryId":1}',
  '{"name":"id","categoryId":1,"id":7}',
  '{"name":"A","categoryId":1,"id":7.0}',
  '{"name":"A","categoryId":1,"id":7e0}',
])('however it is written: %s', async (line) => {
  expect(await highestOf(pet(5), line, pet(6))).toBe(7n);
});

test.each([
  '{"id":9,"name":"","categoryId":1}',
  '{"id":9,"id":10,"name":"A","categoryId":1}',
  '{"id":"9","name":"A","categoryId":1}',
  '{"id":9,"name":"A","categoryId":1',
  '{"name":"A","categoryId":1,"more":{"id":9}}',
  pet('99999999999999999999'),
])('ignores a line that is no pet: %s', async (line) => {
  expect(await highestOf(pet(5), line, pet(6))).toBe(6n);
});
