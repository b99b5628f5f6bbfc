/** As fetch, but waits for the Retry-After of a 429, up to a minute, and sends the request again: three times at most. */
export async function patientFetch(input, init) {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    // A Request can be sent once, its copy again.
    const response = await fetch(input.clone?.() ?? input, init);
    const seconds = Number(response.headers.get('Retry-After') ?? NaN);
    if (response.status !== 429 || !(seconds <= 60) || triesLeft === 0) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
