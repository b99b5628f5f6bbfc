import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  print,
  typeFromAST,
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { ApiError, type FieldFault } from '../../lib/errors.js';
import { cut, describeValue } from '../../lib/received.js';

/** What the built-in scalars accept. The scalars of this gateway say so in the errors that they throw. */
const BUILT_IN: Readonly<Record<string, string>> = {
  Boolean: 'must be true or false',
  Float: 'must be a number',
  ID: 'must be a string or an integer',
  Int: 'must be an integer from -2147483648 to 2147483647',
  String: 'must be a string',
};
/** Maximum number of faults that are reported of the variables of one operation. */
const MOST_FAULTS = 10;

/**
 * Checks the variables of a valid operation before Apollo does: graphql-js names the faulty part only within the text
 * of its error. Returns an error for each of the first faults, with the path of the part in `details.fields`.
 */
export function variableErrors(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  for (const node of variableDefinitions) {
    const type = typeFromAST(schema, node.type);
    if (!isInputType(type)) continue;
    const { value: name } = node.variable.name;
    const faults = Object.hasOwn(variables, name)
      ? faultsIn(variables[name], type, name)
      : node.defaultValue === undefined && isNonNullType(type)
        ? [{ field: name, message: `is required: send a value of type ${String(type)} in "variables"` }]
        : [];
    for (const fault of faults) {
      errors.push(inputError(`Variable "$${fault.field}"`, fault, node));
      if (errors.length === MOST_FAULTS) return errors;
    }
  }
  return errors;
}

function* faultsIn(value: unknown, type: GraphQLInputType, field: string): Generator<FieldFault> {
  if (isNonNullType(type))
    if (value == null) yield { field, message: 'must not be null' };
    else yield* faultsIn(value, type.ofType, field);
  else if (value == null) return;
  else if (isListType(type))
    if (!Array.isArray(value)) yield* faultsIn(value, type.ofType, field);
    else for (const [i, item] of value.entries()) yield* faultsIn(item, type.ofType, `${field}[${i}]`);
  else if (isInputObjectType(type)) yield* faultsInObject(value, type, field);
  else {
    const message = faultOf(type, describeValue(value), () => type.parseValue(value));
    if (message !== undefined) yield { field, message };
  }
}

function* faultsInObject(value: unknown, type: GraphQLInputObjectType, field: string): Generator<FieldFault> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield { field, message: notAnObject(type, describeValue(value)) };
    return;
  }
  const given = value as Readonly<Record<string, unknown>>;
  const fields = type.getFields();
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name)) yield { field: `${field}.${name}`, message: noSuchField(type) };
  for (const definition of Object.values(fields)) {
    const path = `${field}.${definition.name}`;
    if (Object.hasOwn(given, definition.name)) yield* faultsIn(given[definition.name], definition.type, path);
    else if (isRequiredInputField(definition)) yield { field: path, message: 'is required' };
  }
}

/**
 * Values of correct type (GraphQL specification, section 5.6). It replaces the rule of graphql-js, whose errors name no
 * path. Its verdict is the same.
 */
export function valuesOfCorrectTypeRule(context: ValidationContext): ASTVisitor {
  type At = Parameters<ASTVisitFn<ASTNode>>;

  function report(message: string, [node, , parent, path, ancestors]: At, part = ''): void {
    const field = pathOf([...ancestors, ...(parent === undefined ? [] : [parent]), node], path) + part;
    context.reportError(inputError(placeOf(field), { field, message }, node));
  }

  /** Names the place for people: `Argument "input.ids[1]" of "createPet"`. */
  function placeOf(field: string): string {
    if (context.getArgument() == null) return `Default of "$${field}"`;
    const directive = context.getDirective();
    const owner = directive == null ? context.getFieldDef()?.name : `@${directive.name}`;
    return `Argument "${field}" of "${owner}"`;
  }

  function checkLeaf(...at: At): void {
    const expected = context.getInputType();
    if (expected == null) return;
    const node = at[0] as ValueNode;
    const type = getNamedType(expected);
    const message = isLeafType(type)
      ? faultOf(type, describeNode(node), () => type.parseLiteral(node, undefined))
      : notAnObject(type, describeNode(node));
    if (message !== undefined) report(message, at);
  }

  return {
    ListValue(...at) {
      // TypeInfo has already gone on to the type of the items.
      if (isListType(getNullableType(context.getParentInputType()))) return undefined;
      checkLeaf(...at);
      return false;
    },
    ObjectValue(...at) {
      const type = getNamedType(context.getInputType());
      if (!isInputObjectType(type)) {
        checkLeaf(...at);
        return false;
      }
      const given = new Set(at[0].fields.map(({ name }) => name.value));
      for (const definition of Object.values(type.getFields()))
        if (!given.has(definition.name) && isRequiredInputField(definition))
          report('is required', at, `.${definition.name}`);
      return undefined;
    },
    ObjectField(...at) {
      const type = getNamedType(context.getParentInputType());
      if (context.getInputType() == null && isInputObjectType(type)) report(noSuchField(type), at);
    },
    NullValue(...at) {
      if (isNonNullType(context.getInputType())) report('must not be null', at);
    },
    EnumValue: checkLeaf,
    IntValue: checkLeaf,
    FloatValue: checkLeaf,
    StringValue: checkLeaf,
    BooleanValue: checkLeaf,
  };
}

/** @param parse throws, or returns undefined, if the value is not of the type */
function faultOf(type: GraphQLLeafType, received: string, parse: () => unknown): string | undefined {
  try {
    if (parse() !== undefined) return undefined;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (!isEnumType(type) && BUILT_IN[type.name] === undefined) return error.message;
  }
  const expected = isEnumType(type)
    ? `must be one of ${type
        .getValues()
        .map(({ name }) => name)
        .join(', ')}`
    : (BUILT_IN[type.name] ?? `must be of type ${type.name}`);
  return `${expected}; received ${received}`;
}

function notAnObject(type: GraphQLInputObjectType, received: string): string {
  return `must be an object with the fields of ${type.name}: ${namesIn(type)}; received ${received}`;
}

function noSuchField(type: GraphQLInputObjectType): string {
  return `is not a field of ${type.name}, which has ${namesIn(type)}`;
}

function namesIn(type: GraphQLInputObjectType): string {
  return Object.keys(type.getFields()).join(', ');
}

/** As describeValue, for a literal. */
export function describeNode(node: ValueNode): string {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return describeValue(node.value);
    case Kind.INT:
    case Kind.FLOAT:
      return `the number ${cut(node.value)}`;
    case Kind.ENUM:
      return `${cut(node.value)} without quotes`;
    case Kind.NULL:
      return 'null';
    case Kind.LIST:
      return 'a list';
    case Kind.OBJECT:
      return 'an object';
    case Kind.VARIABLE:
      return print(node);
  }
}

/**
 * Returns the path of a value in an argument or in a variable's default, in the form that `details.fields` uses:
 * `input.ids[1]`. `path[i]` leads from item `i` of the chain to the next.
 */
function pathOf(
  chain: readonly (ASTNode | readonly ASTNode[])[],
  path: readonly (string | number)[],
): string {
  let field = '';
  for (const [i, link] of chain.entries()) {
    if (!('kind' in link)) continue;
    if (link.kind === Kind.ARGUMENT) field = link.name.value;
    if (link.kind === Kind.VARIABLE_DEFINITION) field = link.variable.name.value;
    if (link.kind === Kind.OBJECT_FIELD) field += `.${link.name.value}`;
    if (path[i - 2] === 'values') field += `[${path[i - 1]}]`;
  }
  return field;
}

/** An error about one part of the input. The formatter of errors takes code and details from `originalError`. */
function inputError(part: string, fault: FieldFault, nodes: ASTNode): GraphQLError {
  const message = `${part} ${fault.message}`;
  const originalError = new ApiError('invalid_request', message, { details: { fields: [fault] } });
  return new GraphQLError(message, { nodes, originalError });
}
