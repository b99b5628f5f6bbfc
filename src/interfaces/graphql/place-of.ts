import { BREAK, Kind, visit, type ASTNode, type DocumentNode } from 'graphql';

/** The place of a value in a document: in an argument, `input.ids[1]` of `createPet`, or in a variable's default. */
export interface Place {
  /** The path of the value, in the form that `details.fields` uses. */
  field: string;
  /** For people: `Argument "input.ids[1]" of "createPet"`. */
  description: string;
}

/** Returns undefined for a node that is in no argument and no default. */
export function placeOf(document: DocumentNode, wanted: ASTNode): Place | undefined {
  let place: Place | undefined;
  visit(document, {
    enter(node, _key, parent, path, ancestors) {
      if (node !== wanted) return undefined;
      place = describe([...ancestors, ...(parent === undefined ? [] : [parent]), node], path);
      return BREAK;
    },
  });
  return place;
}

/** `path[i]` leads from item `i` of the chain to the next. */
function describe(
  chain: readonly (ASTNode | readonly ASTNode[])[],
  path: readonly (string | number)[],
): Place | undefined {
  let field = '';
  let owner = '';
  let inDefault = false;
  for (const [i, link] of chain.entries()) {
    if (!('kind' in link)) continue;
    if (link.kind === Kind.FIELD) owner = link.name.value;
    if (link.kind === Kind.DIRECTIVE) owner = `@${link.name.value}`;
    if (link.kind === Kind.ARGUMENT) field = link.name.value;
    if (link.kind === Kind.OBJECT_FIELD) field += `.${link.name.value}`;
    if (link.kind === Kind.VARIABLE_DEFINITION) {
      field = link.variable.name.value;
      inDefault = true;
    }
    if (path[i - 2] === 'values') field += `[${path[i - 1]}]`;
  }
  if (field === '') return undefined;
  return {
    field,
    description: inDefault ? `Default of "$${field}"` : `Argument "${field}" of "${owner}"`,
  };
}
