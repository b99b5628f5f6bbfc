import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, type GraphQLSchema } from 'graphql';

type Hint = (schema: GraphQLSchema, ...captured: string[]) => string | undefined;

const MOST_NAMED = 25;

/**
 * Remedies for errors of graphql-js that only name a fault, by the form of the message: the errors have no codes. A
 * message that ends with a suggestion of its own gets no other.
 */
const HINTS: readonly (readonly [RegExp, Hint])[] = [
  [/^Cannot query field "\w+" on type "(\w+)"\.$/, (schema, type) => it('has', fieldsOf(schema, type))],
  [
    /^Unknown argument "\w+" on field "(\w+)\.(\w+)"\.$/,
    (schema, type, field) => it('takes', argumentsOf(schema, type, field)),
  ],
  [/^Field "\w+" is not defined by type "(\w+)"\.$/, (schema, type) => it('has', fieldsOf(schema, type))],
  [/^Value ".*" does not exist in "(\w+)" enum\.$/s, (schema, type) => it('has', valuesOf(schema, type))],
  [
    /^Enum "(\w+)" cannot represent non-enum value: .*\.$/s,
    (schema, type) => it('has', valuesOf(schema, type)),
  ],
  [
    /^Variable "(\$\w+)" of type "[^"]+" used in position expecting type "([^"]+)"\.$/,
    (_schema, name, type) => `Declare it as "${name}: ${type}".`,
  ],
  [
    /^Variable "(\$\w+)" is not defined\b/,
    (_schema, name) => `Declare it, with its type, in the brackets after the operation's name: (${name}: …).`,
  ],
  [/^Syntax Error: .*<EOF>\.$/, () => 'The document ends too early: is a closing brace missing?'],
  [
    /^Maximum introspection depth exceeded$/,
    () =>
      'Lists of fields and of types nest too often: ask for __schema as graphql-js and the common tools do.',
  ],
];

/** Returns the message with a remedy, if there is one. It names only parts of the public schema. */
export function withHint(schema: GraphQLSchema, message: string): string {
  for (const [pattern, hint] of HINTS) {
    const [matched, ...captured] = pattern.exec(message) ?? [];
    const advice = matched === undefined ? undefined : hint(schema, ...captured);
    if (advice !== undefined) return `${message.replace(/([^.])$/, '$1.')} ${advice}`;
  }
  return message;
}

function it(verb: 'has' | 'takes', names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  if (names.length === 0) return `It ${verb} none.`;
  const named = names.slice(0, MOST_NAMED);
  return `It ${verb} ${(names.length > MOST_NAMED ? [...named, '…'] : named).join(', ')}.`;
}

function fieldsOf(schema: GraphQLSchema, name = ''): string[] | undefined {
  const type = schema.getType(name);
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.keys(type.getFields())
    : undefined;
}

function argumentsOf(schema: GraphQLSchema, typeName = '', field = ''): string[] | undefined {
  const type = schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[field]?.args.map(({ name }) => name) : undefined;
}

function valuesOf(schema: GraphQLSchema, name = ''): string[] | undefined {
  const type = schema.getType(name);
  return isEnumType(type) ? type.getValues().map((value) => value.name) : undefined;
}
