import {
  getNamedType,
  GraphQLError,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  typeFromAST,
  type ASTVisitor,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';

/**
 * Maximum number of selections to visit in one document. Without fragments each is visited twice. A document of
 * MAX_TOKENS has some 1,000 selections.
 */
const MAX_STEPS = 20_000;

/** A selection set and the type that it selects from; undefined if the schema has no such type. */
interface Level {
  set: SelectionSetNode;
  parent: GraphQLNamedType | undefined;
}

interface Found {
  node: FieldNode;
  parent: GraphQLNamedType | undefined;
  type: GraphQLOutputType | undefined;
}

/**
 * Field selection merging (GraphQL specification, section 5.3.2). It replaces the rule of graphql-js, which compares
 * every two fields that share a response name: `pets { id }` 400 times makes 80,000 comparisons of selection sets. This
 * rule compares each field of a response name with the first of them, and then checks the merged selections of all of
 * them together. The verdict is the same, because having the same name, arguments and shape is an equivalence.
 *
 * The rule checks the selections that operations use. Another rule reports unused fragments.
 *
 * Fragments can combine selection sets in exponentially many ways. The rule checks each combination once, and stops
 * after MAX_STEPS.
 */
export function overlappingFieldsRule(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  const ids = new Map<SelectionSetNode, number>();
  const merged = new Set<string>();
  const shaped = new Set<string>();
  let steps = 0;
  let hasConflict = false;

  /** Counts steps. @throws GraphQLError if the document takes more than MAX_STEPS */
  function spend(more: number): void {
    steps += more;
    if (steps > MAX_STEPS) throw tooMuchWork();
  }

  /** True at the first call with this combination of sets. */
  function isNew(levels: readonly Level[], seen: Set<string>): boolean {
    const key = [...new Set(levels.map(({ set }) => idOf(set)))].sort((a, b) => a - b).join();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  function idOf(set: SelectionSetNode): number {
    let id = ids.get(set);
    if (id === undefined) ids.set(set, (id = ids.size));
    return id;
  }

  /** Returns the fields of all these selection sets by response name. Each fragment is expanded once. */
  function fieldsOf(levels: readonly Level[]): ReadonlyMap<string, Found[]> {
    const fields = new Map<string, Found[]>();
    const spread = new Set<string>();
    const visited = new Set<SelectionSetNode>();
    const collect = ({ set, parent }: Level): void => {
      if (visited.has(set)) return;
      visited.add(set);
      spend(set.selections.length);
      for (const selection of set.selections)
        switch (selection.kind) {
          case Kind.FIELD: {
            const name = (selection.alias ?? selection.name).value;
            const found = { node: selection, parent, type: typeOf(selection, parent) };
            const others = fields.get(name);
            if (others === undefined) fields.set(name, [found]);
            else others.push(found);
            break;
          }
          case Kind.INLINE_FRAGMENT: {
            const on = selection.typeCondition;
            collect({
              set: selection.selectionSet,
              parent: on === undefined ? parent : typeFromAST(schema, on),
            });
            break;
          }
          case Kind.FRAGMENT_SPREAD: {
            const { value } = selection.name;
            if (spread.has(value)) break;
            spread.add(value);
            const fragment = context.getFragment(value);
            if (fragment != null)
              collect({ set: fragment.selectionSet, parent: typeFromAST(schema, fragment.typeCondition) });
          }
        }
    };
    levels.forEach(collect);
    return fields;
  }

  /** FieldsInSetCanMerge: fields that one object could return must be the same field with the same arguments. */
  function requireSameFields(levels: readonly Level[], path: readonly string[]): void {
    if (!isNew(levels, merged)) return;
    for (const [name, fields] of fieldsOf(levels))
      for (const [first, ...others] of ofOneObject(fields)) {
        if (first === undefined) continue;
        spend(others.length);
        const sameArguments = createSameArguments(first.node);
        const other = others.find(
          ({ node }) => node.name.value !== first.node.name.value || !sameArguments(node),
        );
        if (other === undefined)
          requireSameFields(levelsBelow([first, ...others]), below(path, name, others));
        else report([...path, name], first.node, other.node, differenceOf(first.node, other.node));
      }
  }

  /** SameResponseShape: a response name must stand for one type, whichever objects return it. */
  function requireSameShape(levels: readonly Level[], path: readonly string[]): void {
    if (!isNew(levels, shaped)) return;
    for (const [name, fields] of fieldsOf(levels)) {
      const [first, ...others] = fields.filter(({ type }) => type !== undefined);
      const other = others.find(({ type }) => first?.type && type && doConflict(first.type, type));
      if (first === undefined || other === undefined)
        requireSameShape(levelsBelow(fields), below(path, name, others));
      else {
        const reason = `they return conflicting types "${String(first.type)}" and "${String(other.type)}"`;
        report([...path, name], first.node, other.node, reason);
      }
    }
  }

  function report(path: readonly string[], one: FieldNode, other: FieldNode, reason: string): void {
    const [outermost = '', ...inner] = path;
    const full = inner.reduceRight((why, name) => `subfields "${name}" conflict because ${why}`, reason);
    const message = `Fields "${outermost}" conflict because ${full}. Use different aliases on the fields to fetch both if this was intentional.`;
    hasConflict = true;
    context.reportError(new GraphQLError(message, { nodes: [one, other] }));
  }

  return {
    OperationDefinition({ operation, selectionSet }) {
      const root = [{ set: selectionSet, parent: schema.getRootType(operation) ?? undefined }];
      requireSameFields(root, []);
      // Different fields often have different types too: one error is enough.
      if (!hasConflict) requireSameShape(root, []);
    },
  };
}

/** The error for a document whose validation takes far more work than its number of tokens suggests. */
export function tooMuchWork(): GraphQLError {
  return new GraphQLError(
    'The document takes too much work to validate. Use fewer fragments, or send several requests.',
  );
}

/**
 * Returns the path of names for the message about a conflict. It starts at the outermost name that several fields
 * share.
 */
function below(path: readonly string[], name: string, others: readonly Found[]): readonly string[] {
  return path.length === 0 && others.length === 0 ? path : [...path, name];
}

/**
 * Groups fields that could belong to one object: fields of different object types never do (section 5.3.2, step 2.b).
 */
function ofOneObject(fields: readonly Found[]): readonly (readonly Found[])[] {
  const objects = [...new Set(fields.map(({ parent }) => parent).filter((parent) => isObjectType(parent)))];
  if (objects.length < 2) return [fields];
  return objects.map((object) => fields.filter(({ parent }) => parent === object || !isObjectType(parent)));
}

function levelsBelow(fields: readonly Found[]): Level[] {
  return fields.flatMap(({ node: { selectionSet }, type }) =>
    selectionSet === undefined ? [] : [{ set: selectionSet, parent: type && getNamedType(type) }],
  );
}

function typeOf({ name }: FieldNode, parent: GraphQLNamedType | undefined): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value]?.type : undefined;
}

/** Whether two types cannot share one response name. The fields of objects are compared separately. */
function doConflict(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (one === other) return false;
  if (isListType(one) && isListType(other)) return doConflict(one.ofType, other.ofType);
  if (isNonNullType(one) && isNonNullType(other)) return doConflict(one.ofType, other.ofType);
  if (isListType(one) || isListType(other) || isNonNullType(one) || isNonNullType(other)) return true;
  return isLeafType(one) || isLeafType(other);
}

function differenceOf(one: FieldNode, other: FieldNode): string {
  return one.name.value === other.name.value
    ? 'they have differing arguments'
    : `"${one.name.value}" and "${other.name.value}" are different fields`;
}

function createSameArguments(first: FieldNode): (node: FieldNode) => boolean {
  let expected: string | undefined;
  return (node) => {
    if (!node.arguments?.length && !first.arguments?.length) return true;
    expected ??= argumentsOf(first);
    return argumentsOf(node) === expected;
  };
}

function argumentsOf({ arguments: given = [] }: FieldNode): string {
  return given
    .map(({ name, value }) => `${name.value}:${textOf(value)}`)
    .sort()
    .join();
}

/** Returns the same text for equal values: the fields of an object have no order. */
function textOf(value: ValueNode): string {
  switch (value.kind) {
    case Kind.OBJECT:
      return `{${value.fields
        .map((field) => `${field.name.value}:${textOf(field.value)}`)
        .sort()
        .join()}}`;
    case Kind.LIST:
      return `[${value.values.map(textOf).join()}]`;
    case Kind.VARIABLE:
      return `$${value.name.value}`;
    case Kind.NULL:
      return 'null';
    default:
      return `${value.kind} ${JSON.stringify(value.value)}`;
  }
}
