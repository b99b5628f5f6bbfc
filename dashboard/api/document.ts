declare const madeByGql: unique symbol;

/**
 * An operation, with what it answers and what it takes. test/interfaces/dashboard/documents.test.ts holds every one of them, and
 * the types beside it, against schema/schema.graphql. Each is exported from a file named …-documents.ts, where the build
 * finds it: a gateway that executes listed operations only has to know what its dashboard sends.
 */
export interface Document<Result, Variables extends object = Record<string, never>> {
  text: string;
  /** Only for the compiler: nothing else makes one. */
  [madeByGql]: (variables: Variables) => Result;
}

/** No parts are put in but other constants, such as fragments. */
export function gql<Result, Variables extends object = Record<string, never>>(
  strings: TemplateStringsArray,
  ...fragments: string[]
): Document<Result, Variables> {
  return { text: String.raw({ raw: strings }, ...fragments).trim() } as Document<Result, Variables>;
}
