/**
 * An operation, with what it answers and what it takes. test/dashboard/documents.test.ts holds every one of them, and
 * the types beside it, against schema/schema.graphql.
 */
export interface Document<Result, Variables extends object = Record<string, never>> {
  text: string;
  /** Only for the compiler. */
  types?: (variables: Variables) => Result;
}

/** No parts are put in but other constants, such as fragments. */
export function gql<Result, Variables extends object = Record<string, never>>(
  strings: TemplateStringsArray,
  ...fragments: string[]
): Document<Result, Variables> {
  return { text: String.raw({ raw: strings }, ...fragments).trim() };
}
