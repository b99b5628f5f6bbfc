import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { createSchema, createSiteSchema } from '../../../src/interfaces/graphql/schema/schema.js';
import { startGateway } from '../../support/gateway.js';

let schemas: [string, GraphQLSchema][];
beforeAll(async () => {
  const { services, close } = await startGateway();
  schemas = [
    ['gateway', createSchema(services)],
    ['site', createSiteSchema(services)],
  ];
  await close();
});

const NULL = /\bnull\b/i;
const DEFAULT = /\bnull\b|\bdefaults? to\b|\bleft out\b|\bleave it out\b/i;
const ORDER = /\b(?:first|ascending|order|oldest|newest|smallest|most requests)\b/i;
const UNIT = /\b(?:units? of quota|number|status code|bytes|seconds|days|milliseconds)\b/i;
const FILLERS = new Set(['a', 'an', 'and', 'as', 'is', 'its', 'of', 'or', 'the', 'that', 'to', 'which']);

interface Described {
  name: string;
  description?: string | null | undefined;
}

/** What is missing from what people read of one part of a schema. */
function faultsOf(part: string, { name, description }: Described, rules: [RegExp, string][] = []): string[] {
  const text = (description ?? '').replace(/\nStability: \w+\.$/, '');
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const nameWords = new Set(name.replace(/[A-Z]/g, ' $&').toLowerCase().split(/[ _]/));
  const telling = words.filter((word) => !FILLERS.has(word) && !nameWords.has(word.replace(/s$/, '')));
  const all: [boolean, string][] = [
    [/^[A-Z0-9`]/.test(text) && text.endsWith('.') && words.length >= 3, 'is no sentence'],
    [telling.length > 0, 'says no more than its name'],
    ...rules.map(([pattern, fault]): [boolean, string] => [pattern.test(text), fault]),
  ];
  return all.filter(([isGood]) => !isGood).map(([, fault]) => `${part} ${fault}: ${description ?? ''}`);
}

function rulesOf(type: GraphQLOutputType): [RegExp, string][] {
  const isNumber = ['Int', 'Float'].includes(getNamedType(type).name);
  return [
    ...(isNonNullType(type) ? [] : [[NULL, 'does not say what null means'] as [RegExp, string]]),
    ...(isListType(getNullableType(type)) ? [[ORDER, 'does not say its order'] as [RegExp, string]] : []),
    ...(isNumber ? [[UNIT, 'does not say what it counts'] as [RegExp, string]] : []),
  ];
}

function inputRulesOf(type: GraphQLInputType): [RegExp, string][] {
  return isNonNullType(type) ? [] : [[DEFAULT, 'does not say what leaving it out means']];
}

function faultsOfField(typeName: string, field: GraphQLField<unknown, unknown>): string[] {
  const part = `${typeName}.${field.name}`;
  return [
    ...faultsOf(part, field, rulesOf(field.type)),
    ...field.args.flatMap((arg) => faultsOf(`${part}(${arg.name}:)`, arg, inputRulesOf(arg.type))),
    ...(field.deprecationReason === undefined ||
    /^\w+ is removed on \d+ \w+ \d{4}\. .+\.$/.test(field.deprecationReason ?? '')
      ? []
      : [`${part} is deprecated without a day and a way: ${field.deprecationReason}`]),
  ];
}

it.each([0, 1])('every type, field, argument and value says what it is, in schema %i', (index) => {
  const [, schema] = schemas[index] ?? [];
  const types = Object.values(schema?.getTypeMap() ?? {}).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  expect(types.length).toBeGreaterThan(5);
  const faults = types.flatMap((type) => [
    ...faultsOf(type.name, { name: '', description: type.description }),
    ...(isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) => faultsOfField(type.name, field))
      : []),
    ...(isInputObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) =>
          faultsOf(`${type.name}.${field.name}`, field, inputRulesOf(field.type)),
        )
      : []),
    ...(isEnumType(type)
      ? type.getValues().flatMap((value) => faultsOf(`${type.name}.${value.name}`, value))
      : []),
  ]);
  expect(faults).toEqual([]);
});
