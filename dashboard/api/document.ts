declare const madeByGql: unique symbol;

/**
 * An operation with the types of its result and its variables. test/interfaces/dashboard/documents.test.ts checks every
 * document and its types against schema/schema.graphql. Export each from a file named …-documents.ts, where the build
 * finds it: a gateway that executes only listed operations must know the documents of its dashboard.
 */
export interface Document<Result, Variables extends object = Record<string, never>> {
  text: string;
  /** For the compiler only: only `gql` can create a Document. */
  [madeByGql]: (variables: Variables) => Result;
}

/** Insert only constants, such as fragments. */
export function gql<Result, Variables extends object = Record<string, never>>(
  strings: TemplateStringsArray,
  ...fragments: string[]
): Document<Result, Variables> {
  return { text: String.raw({ raw: strings }, ...fragments).trim() } as Document<Result, Variables>;
}
