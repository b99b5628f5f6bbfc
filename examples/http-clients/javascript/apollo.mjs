import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { patientFetch } from './patient-fetch.mjs';
import { API_KEY, BASE_URL, headers, pet } from './pet.mjs';

const client = new ApolloClient({
  link: new HttpLink({
    uri: `${BASE_URL}/graphql`,
    fetch: patientFetch,
    headers: { Authorization: `Bearer ${API_KEY}` },
  }),
  cache: new InMemoryCache(),
});

const ADD = gql`
  mutation Add($input: NewPet!) {
    createPet(input: $input) {
      name
    }
  }
`;
const { data } = await client.mutate({ mutation: ADD, variables: { input: pet }, context: { headers } });
console.log('added', data.createPet.name);
