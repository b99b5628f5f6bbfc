/** The schema and the resolvers of the bare GraphQL servers, which are the same for each. */
const typeDefs = `
  enum PetStatus { available pending sold }
  type Pet { id: ID! name: String! categoryId: ID! status: PetStatus! }
  input NewPet { name: String! categoryId: ID! status: PetStatus }
  type Query { pets(status: PetStatus!, limit: Int!): [Pet!]! }
  type Mutation { createPet(input: NewPet!): Pet! }
`;

/** @param pets as bare-pets.cjs opens them */
const resolversOver = (pets) => ({
  Query: { pets: (_root, { status, limit }) => pets.list(status, limit) },
  Mutation: { createPet: (_root, { input }) => pets.create(input) },
});

module.exports = { typeDefs, resolversOver };
