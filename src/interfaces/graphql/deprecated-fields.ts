import { TypeInfo, visit, visitWithTypeInfo, type DocumentNode, type GraphQLSchema } from 'graphql';

/** A requested field that will be removed, as listed in `extensions.deprecations` of the response. */
export interface DeprecatedField {
  /** The schema coordinate: `Query.pet`. */
  field: string;
  reason: string;
  /** RFC 3339. */
  deprecatedAt: string;
  sunset: string;
}

/** Returns the fields in a valid document that will be removed: each once, in the order of the document. */
export function deprecatedFields(schema: GraphQLSchema, document: DocumentNode): DeprecatedField[] {
  const found = new Set<DeprecatedField>();
  const types = new TypeInfo(schema);
  const collect = () => {
    // Set by annotate-fields.ts.
    const told = types.getFieldDef()?.extensions['deprecated'];
    if (told !== undefined) found.add(told as DeprecatedField);
  };
  visit(document, visitWithTypeInfo(types, { Field: collect }));
  return [...found];
}
