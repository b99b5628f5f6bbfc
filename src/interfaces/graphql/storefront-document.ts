/**
 * The document of the built-in storefront, identical to the one in
 * src/features/publishing/storefront/page/read-animals.js.
 */
export const STOREFRONT_DOCUMENT = `query Animals($first: Int!, $status: PetStatus, $after: String) {
  petsConnection(first: $first, status: $status, after: $after) {
    edges { node { id name categoryId status } }
    pageInfo { hasNextPage endCursor }
  }
}`;
