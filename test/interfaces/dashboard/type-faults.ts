import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import ts from 'typescript';
import type { FoundDocument } from './documents.js';

/** Where a document's TypeScript types say something else than the schema: nothing when they agree. */
export function typeFaults(schema: GraphQLSchema, checker: ts.TypeChecker, found: FoundDocument): string[] {
  const [operation] = found.document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [`${found.place}: no operation`];
  const comparison = new Comparison(checker, found.document);
  const root = schema.getRootType(operation.operation);
  if (root) comparison.ofSelection(operation.selectionSet, root, found.resultType, 'result');
  const variables = (operation.variableDefinitions ?? []).map((definition) => ({
    name: definition.variable.name.value,
    type: typeFromAST(schema, definition.type) as GraphQLInputType,
  }));
  comparison.ofInputs(variables, found.variablesType, 'variables');
  return comparison.faults.map((fault) => `${found.place}: ${fault}`);
}

class Comparison {
  readonly faults: string[] = [];

  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly document: DocumentNode,
  ) {}

  ofSelection(selection: SelectionSetNode, parent: GraphQLOutputType, type: ts.Type, path: string): void {
    if (!isObjectType(parent)) return;
    const fields = this.fieldsOf(selection);
    for (const { key, name, selection: inner } of fields) {
      const field = parent.getFields()[name];
      const known = type.getProperty(key);
      if (known === undefined) this.faults.push(`${path}.${key} is not in the type`);
      else if (field !== undefined)
        this.ofOutput(field.type, this.checker.getTypeOfSymbol(known), inner, `${path}.${key}`);
    }
    for (const { name } of type.getProperties())
      if (!fields.some(({ key }) => key === name)) this.faults.push(`${path}.${name} is not asked for`);
  }

  private fieldsOf({ selections }: SelectionSetNode): Field[] {
    return selections.flatMap((selection): Field[] => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.fieldsOf(selection.selectionSet);
      const name = selection.name.value;
      if (selection.kind === Kind.FIELD)
        return [{ key: selection.alias?.value ?? name, name, selection: selection.selectionSet }];
      const fragment = this.document.definitions.find(
        (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? this.fieldsOf(fragment.selectionSet) : [];
    });
  }

  private ofOutput(
    wanted: GraphQLOutputType,
    type: ts.Type,
    selection: SelectionSetNode | undefined,
    path: string,
  ): void {
    if (isNonNullType(wanted) === isNullable(type))
      this.faults.push(`${path} ${isNonNullType(wanted) ? 'is never' : 'may be'} null`);
    const bare = this.checker.getNonNullableType(type);
    const inner = getNullableType(wanted);
    if (isListType(inner))
      this.ofList(bare, path, (element) => this.ofOutput(inner.ofType, element, selection, `${path}[]`));
    else if (selection !== undefined) this.ofSelection(selection, inner, bare, path);
    else this.ofLeaf(inner, bare, path);
  }

  private ofList(type: ts.Type, path: string, check: (element: ts.Type) => void): void {
    const element = this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element === undefined) this.faults.push(`${path} is a list`);
    else check(element);
  }

  ofInputs(inputs: readonly Input[], type: ts.Type | undefined, path: string): void {
    for (const { name, type: wanted } of inputs) {
      const known = type?.getProperty(name);
      if (known !== undefined) this.ofInput(wanted, this.checker.getTypeOfSymbol(known), `${path}.${name}`);
      else if (isNonNullType(wanted)) this.faults.push(`${path}.${name} is required`);
      if (known !== undefined && isNonNullType(wanted) && (known.flags & ts.SymbolFlags.Optional) !== 0)
        this.faults.push(`${path}.${name} is required`);
    }
    for (const { name } of type?.getProperties() ?? [])
      if (!inputs.some((input) => input.name === name)) this.faults.push(`${path}.${name} is unknown`);
  }

  private ofInput(wanted: GraphQLInputType, type: ts.Type, path: string): void {
    if (isNonNullType(wanted) && isNullable(type)) this.faults.push(`${path} must not be null`);
    const bare = this.checker.getNonNullableType(type);
    const inner = getNullableType(wanted);
    if (isListType(inner))
      this.ofList(bare, path, (element) => this.ofInput(inner.ofType, element, `${path}[]`));
    else if (isInputObjectType(inner)) this.ofInputs(Object.values(inner.getFields()), bare, path);
    else this.ofLeaf(inner, bare, path);
  }

  private ofLeaf(wanted: GraphQLOutputType | GraphQLInputType, type: ts.Type, path: string): void {
    const expected = isEnumType(wanted)
      ? wanted
          .getValues()
          .map(({ name }) => JSON.stringify(name))
          .sort()
          .join(' | ')
      : typeOfScalar(String(wanted));
    const actual = (type.isUnion() && expected !== 'boolean' ? type.types : [type])
      .map((one) => this.checker.typeToString(one))
      .sort()
      .join(' | ');
    if (actual !== expected) this.faults.push(`${path} is ${actual}, and ${expected} in the schema`);
  }
}

interface Field {
  key: string;
  name: string;
  selection: SelectionSetNode | undefined;
}

interface Input {
  name: string;
  type: GraphQLInputType;
}

function isNullable(type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);
}

function typeOfScalar(name: string): string {
  switch (name) {
    case 'Int':
    case 'Float':
      return 'number';
    case 'Boolean':
      return 'boolean';
    // Int64 and DateTime are strings too.
    default:
      return 'string';
  }
}
