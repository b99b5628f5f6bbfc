import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  valueFromASTUntyped,
  type GraphQLArgument,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { PAGE_SIZE } from '../../lib/page-size.js';
import { daysOfRange } from '../../features/usage/usage-range.js';
import { fragmentsOf, valuesOf } from './cost.js';
import { factsOf, type DeprecatedField, type FieldWeight } from './field-facts.js';

/**
 * Maximum number of nodes that one root field may request: it allows some pages within a page, but not three levels of
 * pages.
 */
export const MAX_NODES = 2000;
/**
 * Maximum number of fields for each unit that a request costs, besides introspection: the process renders them in one
 * piece.
 */
export const MAX_FIELDS_PER_UNIT = 10_000;
/**
 * Maximum number of fields in the response to one request. A larger response would hold up all other requests for
 * seconds.
 */
export const MAX_FIELDS = 50_000;

/**
 * In introspection: average number of fields of a type. All other lists of introspection have fewer than one item on
 * average.
 */
const FIELDS_OF_TYPE = 3;
/** A page is a read of its own, however few items it has. */
const LEAST_PAGE = 8;
const SIZE_ARGUMENTS: readonly string[] = ['first', 'limit'];
/** Given in place of `first`, which then keeps its default. */
const LAST = 'last';

type Variables = Readonly<Record<string, unknown>>;

/** What the sizes depend on, besides the document. */
interface Asked {
  /** The values of the variables, with their defaults. */
  values: Variables;
  nowMs: number;
}

export interface AnswerSize {
  /**
   * The most nodes that any root field can return: page sizes multiply where a page contains pages. The cost counts
   * root fields only, and `project { apiKeys { … project { apiKeys … } } }` is one of them, however deep it is.
   */
  nodes: number;
  /**
   * The most fields that the response may have. A short document can ask for a great many: aliases multiply them where
   * lists contain lists, and fragments repeat fields without repeating tokens.
   */
  fields: number;
  /** The part of the fields that is introspection. */
  introspected: number;
}

export interface MeasuredAnswer extends AnswerSize {
  /** The fields that will be removed, each once. @skip and @include are not applied. */
  deprecated: readonly DeprecatedField[];
  /** Whether the response may depend on the caller's project or role. @skip and @include are not applied. */
  variesByCaller: boolean;
}

interface Size extends AnswerSize {
  /** The nodes of the field that has the most. */
  mostOfOne: number;
  /** The fields for each day of the range that a field above gives. */
  perDay: number;
}

/** The size of a selection set itself, without the fragments that it spreads. */
interface Own extends Size {
  spreads: string[];
}

/**
 * Measures the response to an operation in one walk. The document must be valid, so that its fragments form no cycle.
 */
export function answerSize(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  nowMs: number,
): MeasuredAnswer {
  const deprecated = new Set<DeprecatedField>();
  let variesByCaller = false;
  const asked: Asked = { values: valuesOf(operation, variables), nowMs };
  const fragments = fragmentsOf(document);
  /** Each set is measured once, however many paths lead to it. */
  const measured = new Map<SelectionSetNode, Size>();
  const owned = new Map<SelectionSetNode, Own>();

  function ofField(field: FieldNode, parent: GraphQLNamedType | undefined): Omit<Size, 'mostOfOne'> {
    const definition = definitionOf(field.name.value, parent);
    const { weight, deprecated: ending, variesByCaller: varies, variesWith } = factsOf(definition);
    if (varies === true || field.arguments?.some(({ name }) => variesWith?.includes(name.value) === true))
      variesByCaller = true;
    if (ending !== undefined) deprecated.add(ending);
    if (definition === undefined || field.selectionSet === undefined)
      return { nodes: 0, fields: 1, introspected: 0, perDay: 0 };
    const below = ofSet(field.selectionSet, getNamedType(definition.type));
    const nodes = nodesOf(field, definition, below.nodes, asked);
    if (weight?.mostItems === 'days' && !weight.areNodes)
      return { nodes, fields: 1, introspected: 0, perDay: below.fields };
    const items = mostItems(schema, field, definition, parent, asked);
    const ofDays =
      weight?.mostItems === 'days' ? below.perDay * itemsOf(weight, field, definition, asked) : 0;
    const fields = 1 + items * below.fields + ofDays;
    return {
      nodes,
      fields,
      perDay: weight?.mostItems === 'days' ? 0 : items * below.perDay,
      // The fields that begin introspection are in the root type alone.
      introspected: definition.name.startsWith('__') ? fields : 0,
    };
  }

  function ofSet(set: SelectionSetNode, parent: GraphQLNamedType | undefined): Size {
    let size = measured.get(set);
    if (size === undefined) {
      size = { nodes: 0, fields: 0, introspected: 0, mostOfOne: 0, perDay: 0 };
      addWithFragments(size, ownOf(set, parent), new Set());
      measured.set(set, size);
    }
    return size;
  }

  /**
   * Counts each fragment once in a selection set, as execution does. The work stays linear even if nested fragments
   * expand exponentially.
   */
  function addWithFragments(size: Size, own: Own, spread: Set<string>): void {
    add(size, own);
    for (const name of own.spreads) {
      const fragment = fragments.get(name);
      if (fragment === undefined || spread.has(name)) continue;
      spread.add(name);
      const type = schema.getType(fragment.typeCondition.name.value);
      addWithFragments(size, ownOf(fragment.selectionSet, type), spread);
    }
  }

  function ownOf(set: SelectionSetNode, parent: GraphQLNamedType | undefined): Own {
    let own = owned.get(set);
    if (own === undefined) {
      own = { nodes: 0, fields: 0, introspected: 0, mostOfOne: 0, perDay: 0, spreads: [] };
      addOwn(own, set, parent);
      owned.set(set, own);
    }
    return own;
  }

  function addOwn(own: Own, { selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): void {
    for (const selection of selections)
      switch (selection.kind) {
        case Kind.FIELD: {
          const size = ofField(selection, parent);
          add(own, { ...size, mostOfOne: size.nodes });
          break;
        }
        case Kind.INLINE_FRAGMENT: {
          const on = selection.typeCondition?.name.value;
          addOwn(own, selection.selectionSet, on === undefined ? parent : schema.getType(on));
          break;
        }
        case Kind.FRAGMENT_SPREAD:
          own.spreads.push(selection.name.value);
      }
  }

  const root = ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  // Each root field is charged separately, so each is measured separately.
  return {
    nodes: root.mostOfOne,
    fields: root.fields,
    introspected: root.introspected,
    deprecated: [...deprecated],
    variesByCaller,
  };
}

function add(sum: Size, { nodes, fields, introspected, mostOfOne, perDay }: Size): void {
  sum.nodes += nodes;
  sum.fields += fields;
  sum.introspected += introspected;
  sum.perDay += perDay;
  sum.mostOfOne = Math.max(sum.mostOfOne, mostOfOne);
}

function definitionOf(
  name: string,
  parent: GraphQLNamedType | undefined,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** Returns the nodes that a field requests, of which each has `below` nodes of its own. */
function nodesOf(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  below: number,
  asked: Asked,
): number {
  const { weight } = factsOf(definition);
  if (weight?.areNodes === true) return itemsOf(weight, field, definition, asked) * (1 + below);
  const page = definition.args.find((argument) => argument.name === 'first');
  if (page === undefined) return below;
  const size = askedSize(field, page, asked);
  // The resolver rejects a page size out of bounds.
  return Math.max(LEAST_PAGE, Math.min(Math.max(size, 0), PAGE_SIZE.maximum) * (1 + below));
}

/** Returns how often a field's selections may occur in the response. */
function mostItems(
  schema: GraphQLSchema,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType | undefined,
  asked: Asked,
): number {
  const size = definition.args.find(({ name }) => SIZE_ARGUMENTS.includes(name));
  if (size !== undefined) {
    const items = askedSize(field, size, asked);
    // The resolver rejects a page size out of bounds. A negative size must not offset the other fields.
    return Math.min(Math.max(items, 1), PAGE_SIZE.maximum);
  }
  if (definition.args.some(({ name }) => name === 'ids')) return PAGE_SIZE.maximum;
  // The edges of a connection are counted where its size is given.
  if (!isListType(getNullableType(definition.type)) || parent?.name.endsWith('Connection')) return 1;
  if (!parent?.name.startsWith('__')) return listLength(definition);
  if (definition.name === 'types') return Object.keys(schema.getTypeMap()).length;
  return definition.name === 'fields' ? FIELDS_OF_TYPE : 1;
}

function listLength(definition: GraphQLField<unknown, unknown>): number {
  const { weight } = factsOf(definition);
  return typeof weight?.mostItems === 'number' ? weight.mostItems : PAGE_SIZE.maximum;
}

/** Returns the size of a page that a field requests in an argument; null and no value mean the argument's default. */
function askedSize(field: FieldNode, argument: GraphQLArgument, asked: Asked): number {
  const value =
    askedValue(field, LAST, asked) ?? askedValue(field, argument.name, asked) ?? argument.defaultValue;
  // A value that is no number stops execution in any case.
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : PAGE_SIZE.maximum;
}

/** Returns the number of nodes that a weight stands for. */
function itemsOf(
  { mostItems: items, nodesOfEach = 1 }: FieldWeight,
  field: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
  asked: Asked,
): number {
  if (items !== 'days') return items * nodesOfEach;
  const [from, to] = ['from', 'to'].map((name) =>
    args.some((argument) => argument.name === name) ? askedValue(field, name, asked) : undefined,
  );
  try {
    return daysOfRange(dateOf(from), dateOf(to), asked.nowMs);
  } catch {
    // The resolver rejects such a range before it reads anything.
    return 1;
  }
}

function dateOf(value: unknown): Date | undefined {
  return value == null ? undefined : new Date(typeof value === 'string' ? value.toUpperCase() : NaN);
}

/** Returns the value of an argument as the client gave it; undefined if the default of the argument applies. */
function askedValue(field: FieldNode, argument: string, { values }: Asked): unknown {
  const given = field.arguments?.find(({ name }) => name.value === argument)?.value;
  return given === undefined ? undefined : valueFromASTUntyped(given, values);
}
