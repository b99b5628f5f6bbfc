import { getNamedType, getNullableType, isIntrospectionType, isListType, isObjectType } from 'graphql';
import { factsOf } from '../../../src/interfaces/graphql/field-facts.js';
import { PUBLIC_SCHEMA } from './measure.js';

const LIMITING = ['first', 'limit', 'ids'];

test('every list of objects has a weight, unless an argument limits it', () => {
  // The edges of a connection are limited where its size is given.
  const types = Object.values(PUBLIC_SCHEMA.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter((type) => !isIntrospectionType(type) && !type.name.endsWith('Connection'));
  const lists = types
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ coordinate: `${type.name}.${field.name}`, field })),
    )
    .filter(({ field: { type } }) => isListType(getNullableType(type)) && isObjectType(getNamedType(type)));
  expect(lists.length).toBeGreaterThan(10);
  const unlimited = lists.filter(({ field }) => !field.args.some(({ name }) => LIMITING.includes(name)));
  const withoutWeight = unlimited.filter(({ field }) => factsOf(field).weight === undefined);
  expect(withoutWeight.map(({ coordinate }) => coordinate)).toEqual([]);
});
