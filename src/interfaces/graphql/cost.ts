import {
  Kind,
  OperationTypeNode,
  TypeNameMetaFieldDef,
  valueFromASTUntyped,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { OTHER_OPERATION, SEVERAL_OPERATIONS } from '../../features/usage/usage.js';
import { factsOf } from './field-facts.js';

type Variables = Readonly<Record<string, unknown>>;

/** What the root fields of an operation say of it. */
export interface RootFields {
  /**
   * The number of root fields that execution will run. Each response name counts once: aliases count separately,
   * fragments are expanded, @skip and @include are applied. `__typename` is free; introspection fields count like any
   * other. Every operation costs at least 1.
   */
  cost: number;
  /** The part of the cost that is about pets. */
  petsCost: number;
  /**
   * The name under which the operation is counted: its root field, or a fixed name if it has several. Aliases and
   * operation names are not used, because clients could create any number of them. @skip and @include are not applied.
   */
  name: string;
  /** Whether all root fields are reads with the same result for every caller. @skip and @include are not applied. */
  isSharedRead: boolean;
  /** Whether an Idempotency-Key can be used: one root field runs, which accepts it. */
  isIdempotent: boolean;
}

/** Reads the root of an operation of a valid document in one walk. */
export function readRoot(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): RootFields {
  const fragments = fragmentsOf(document);
  const values = valuesOf(operation, variables);
  const selected = new Set<string>();
  /** The names of the fields that execution runs, by response name. */
  const run = new Map<string, string>();
  const visited = new Set<string>();

  const collect = ({ selections }: SelectionSetNode, isBelowSkipped: boolean): void => {
    for (const selection of selections) {
      const isSkipped = isBelowSkipped || skips(selection.directives, values);
      switch (selection.kind) {
        case Kind.FIELD: {
          const { value } = selection.name;
          if (value === TypeNameMetaFieldDef.name) break;
          selected.add(value);
          if (!isSkipped) run.set((selection.alias ?? selection.name).value, value);
          break;
        }
        case Kind.INLINE_FRAGMENT:
          collect(selection.selectionSet, isSkipped);
          break;
        case Kind.FRAGMENT_SPREAD: {
          const { value } = selection.name;
          const fragment = fragments.get(value);
          // Each fragment once for what runs and once for what is skipped. The work stays linear even if nested
          // fragments expand exponentially.
          const visit = `${isSkipped} ${value}`;
          if (fragment !== undefined && !visited.has(visit)) {
            visited.add(visit);
            collect(fragment.selectionSet, isSkipped);
          }
        }
      }
    }
  };
  collect(operation.selectionSet, false);

  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {};
  return {
    cost: Math.max(1, run.size),
    petsCost: [...run.values()].filter((name) => factsOf(definitions[name]).isAboutPets === true).length,
    name: oneOf(selected),
    isIdempotent:
      operation.operation === OperationTypeNode.MUTATION &&
      run.size === 1 &&
      [...run.values()].every((name) => factsOf(definitions[name]).acceptsIdempotencyKey === true),
    isSharedRead:
      operation.operation === OperationTypeNode.QUERY &&
      [...selected].every((name) => factsOf(definitions[name]).isShared === true),
  };
}

/** Returns the fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

/** Whether execution skips a selection with these directives. */
function skips(directives: readonly DirectiveNode[] | undefined, values: Variables): boolean {
  return (
    directives?.some(
      (directive) =>
        (directive.name.value === 'skip' && conditionOf(directive, values)) ||
        (directive.name.value === 'include' && !conditionOf(directive, values)),
    ) ?? false
  );
}

/** Returns the values of the variables that have one, by name: as sent, or else their defaults. */
export function valuesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  const values: Record<string, unknown> = {};
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (Object.hasOwn(variables, name)) values[name] = variables[name];
    else if (defaultValue !== undefined) values[name] = valueFromASTUntyped(defaultValue);
  }
  return values;
}

/**
 * Returns the value of `if`, the only argument of both directives. A value that is not a boolean stops the operation
 * before execution, so the cost that it would have does not matter.
 */
function conditionOf({ arguments: [condition] = [] }: DirectiveNode, variables: Variables): boolean {
  return condition !== undefined && valueFromASTUntyped(condition.value, variables) === true;
}

/** Returns the common name of operations that are charged together, or a fixed name if they differ. */
export function oneOf(all: Iterable<string>): string {
  const [name = OTHER_OPERATION, ...others] = new Set(all);
  return others.length === 0 ? name : SEVERAL_OPERATIONS;
}
