/**
 * The statuses of lists of pets that are requested at once. They are not compared with the OpenAPI document, which takes
 * long for hundreds.
 */
export function statusesOf(gateway: { url: string }, key: string, count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await fetch(`${gateway.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
}
