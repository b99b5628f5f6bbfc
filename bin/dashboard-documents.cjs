/**
 * The dashboard's GraphQL operations. They stand in the files …-documents.graphql of dashboard/. From them and from
 * schema/schema.graphql this module makes the TypeScript beside them: each document with the types of its result and its
 * variables. The build lists the documents for the gateway, which executes them for sessions also where it executes
 * listed operations only.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  print,
  typeFromAST,
  validate,
  visit,
} = require('graphql');

const SCHEMA_TYPES = 'api/schema-types.ts';
/** Int64 and DateTime are strings in JSON too. */
const SCALARS = { Int: 'number', Float: 'number', Boolean: 'boolean' };

/**
 * @returns `texts`: each document once, to the byte as the page sends it; `sources`: the contents of each TypeScript file
 *   by its path below `root`
 * @throws Error that names the file and the fault if an operation is not valid against the schema
 */
function readDocuments(root) {
  const folder = join(root, 'dashboard');
  const schema = buildSchema(readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8'));
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('-documents.graphql'))
    .sort()
    .map((name) => ({ name, definitions: parse(readFileSync(join(folder, name), 'utf8')).definitions }));
  const definitions = files.flatMap((file) => file.definitions);
  for (const { message } of validate(schema, { kind: Kind.DOCUMENT, definitions }))
    throw new Error(`The GraphQL documents of dashboard/ do not fit schema/schema.graphql: ${message}`);

  const made = { schema, schemaTypes: new Set(), fragments: new Map(), fileOf: new Map(), texts: [] };
  for (const { name, definitions } of files)
    for (const definition of definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        made.fragments.set(definition.name.value, definition);
        made.fileOf.set(definition.name.value, name.replace(/graphql$/, 'ts'));
      }
  const sources = new Map(files.map((file) => [tsPath(file.name), sourceOf(file, made)]));
  sources.set(join('dashboard', SCHEMA_TYPES), sourceOfSchemaTypes(made));
  return { texts: made.texts, sources };
}

const tsPath = (name) => join('dashboard', name.replace(/graphql$/, 'ts'));

function sourceOf({ name, definitions }, made) {
  const used = { fragments: new Set(), schemaTypes: new Set() };
  const file = { ...made, used };
  const parts = definitions.map((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION
      ? declare(definition.name.value, fragmentType(definition, file))
      : operationSource(definition, file),
  );
  const own = name.replace(/graphql$/, 'ts');
  const imports = new Map();
  const need = (from, type) => imports.set(from, [...(imports.get(from) ?? []), type]);
  if (definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)) need('api/document.ts', 'Document');
  for (const type of used.schemaTypes) {
    need(SCHEMA_TYPES, type);
    made.schemaTypes.add(type);
  }
  for (const fragment of used.fragments)
    if (made.fileOf.get(fragment) !== own) need(made.fileOf.get(fragment), fragment);
  const lines = [...imports]
    .sort()
    .map(([from, types]) => `import type { ${types.sort().join(', ')} } from '${pathFrom(own, from)}';`);
  return [header(`${basename(name)} and schema/schema.graphql`), ...lines, '', parts.join('\n\n'), ''].join(
    '\n',
  );
}

const header = (from) =>
  `// Made from ${from}. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents`;

function pathFrom(own, other) {
  const path = relative(dirname(own), other).replaceAll('\\', '/').replace(/ts$/, 'js');
  return path.startsWith('.') ? path : `./${path}`;
}

function operationSource(operation, file) {
  const name = operation.name.value;
  const root = file.schema.getRootType(operation.operation);
  const variables = operation.variableDefinitions.map(({ variable, type }) => ({
    name: variable.name.value,
    type: typeFromAST(file.schema, type),
  }));
  const text = textOf(operation, file);
  file.texts.push(text);
  const types = [`${name}Result`, ...(variables.length > 0 ? [`${name}Variables`] : [])];
  return [
    declare(`${name}Result`, selectionType(operation.selectionSet, root, file)),
    ...(variables.length > 0 ? [declare(`${name}Variables`, inputsType(variables, file.used))] : []),
    `export const ${constantCase(name)}: Document<${types.join(', ')}> = {\n  text: ${quote(text)},\n};`,
  ].join('\n\n');
}

/** The operation and the fragments that it needs, in one line: users can copy it into a shell. */
function textOf(operation, { fragments }) {
  const needed = new Set();
  const collect = (node) =>
    visit(node, {
      FragmentSpread({ name: { value } }) {
        if (needed.has(value)) return;
        needed.add(value);
        collect(fragments.get(value));
      },
    });
  collect(operation);
  const parts = [operation, ...[...needed].map((name) => fragments.get(name))];
  return parts.map((part) => print(part).replaceAll(/\s+/g, ' ')).join(' ');
}

function fragmentType({ typeCondition, selectionSet }, file) {
  return selectionType(selectionSet, file.schema.getType(typeCondition.name.value), file);
}

/** One member a line at the top level, and one line for everything below. */
function selectionType({ selections }, parent, file) {
  const spreads = selections
    .filter(({ kind }) => kind === Kind.FRAGMENT_SPREAD)
    .map(({ name }) => name.value);
  for (const spread of spreads) file.used.fragments.add(spread);
  const members = selections
    .filter(({ kind }) => kind === Kind.FIELD)
    .map(({ name, alias, selectionSet }) => {
      const { type } = parent.getFields()[name.value];
      return `${(alias ?? name).value}: ${outputType(type, selectionSet, file)}`;
    });
  return { spreads, members };
}

function outputType(type, selectionSet, file) {
  const written = (inner) =>
    isListType(inner) ? listOf(outputType(inner.ofType, selectionSet, file)) : leafOf(inner);
  const leafOf = (inner) =>
    selectionSet === undefined
      ? leafType(inner, file.used)
      : inLine(selectionType(selectionSet, inner, file));
  const text = written(getNullableType(type));
  return isNonNullType(type) ? text : `${text} | null`;
}

const listOf = (element) =>
  element.endsWith(' | null') || /^\w+ & /.test(element) ? `(${element})[]` : `${element}[]`;

/** A nullable input may be missing. */
function inputsType(inputs, used) {
  const members = inputs.map(({ name, type }) =>
    isNonNullType(type)
      ? `${name}: ${inputType(type, used)}`
      : `${name}?: ${inputType(type, used)} | undefined`,
  );
  return { spreads: [], members };
}

function inputType(type, used) {
  const inner = getNullableType(type);
  const text = isListType(inner) ? listOf(inputType(inner.ofType, used)) : leafType(inner, used);
  return isNonNullType(type) ? text : `${text} | null`;
}

function leafType(type, used) {
  const { name } = getNamedType(type);
  if (!isEnumType(type) && !isInputObjectType(type)) return SCALARS[name] ?? 'string';
  used.schemaTypes.add(name);
  return name;
}

/** The enums and input objects of the schema that the documents use, and those that these use. */
function sourceOfSchemaTypes({ schema, schemaTypes }) {
  const parts = new Map();
  const add = (name) => {
    if (parts.has(name)) return;
    const type = schema.getType(name);
    const used = { schemaTypes: new Set() };
    parts.set(
      name,
      isEnumType(type)
        ? `export type ${name} = ${type
            .getValues()
            .map((value) => quote(value.name))
            .join(' | ')};`
        : declare(name, inputsType(Object.values(type.getFields()), used)),
    );
    used.schemaTypes.forEach(add);
  };
  schemaTypes.forEach(add);
  const sorted = [...parts].sort(([a], [b]) => a.localeCompare(b)).map(([, source]) => source);
  return [header('schema/schema.graphql'), '', sorted.join('\n\n'), ''].join('\n');
}

function declare(name, { spreads, members }) {
  const body = `{\n${members.map((member) => `  ${member};\n`).join('')}}`;
  if (spreads.length === 0) return `export interface ${name} ${body}`;
  return `export type ${name} = ${[...spreads, ...(members.length > 0 ? [body] : [])].join(' & ')};`;
}

function inLine({ spreads, members }) {
  return [...spreads, ...(members.length > 0 ? [`{ ${members.join('; ')} }`] : [])].join(' & ');
}

const constantCase = (name) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
const quote = (text) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`);

module.exports = { readDocuments };
