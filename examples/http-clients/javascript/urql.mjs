import { Client, fetchExchange, gql } from '@urql/core';
import { patientFetch } from './patient-fetch.mjs';
import { API_KEY, BASE_URL, headers, pet } from './pet.mjs';

const client = new Client({
  url: `${BASE_URL}/graphql`,
  fetch: patientFetch,
  fetchOptions: { headers: { Authorization: `Bearer ${API_KEY}` } },
  exchanges: [fetchExchange],
  preferGetMethod: false,
});

const ADD = gql`
  mutation Add($input: NewPet!) {
    createPet(input: $input) {
      name
    }
  }
`;
const { data, error } = await client.mutation(ADD, { input: pet }, { fetchOptions: { headers } });
if (error) throw error;
console.log('added', data.createPet.name);
