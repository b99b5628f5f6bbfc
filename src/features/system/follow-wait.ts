/** How long no follower may have said that it is there before one says so, milliseconds. */
const LEAST_MS = 20_000;
/**
 * Makes a short wait rare and a long one likely: so few followers say that they are there at the same time, however many
 * there are.
 */
const STEEPNESS = 10;

/**
 * Returns how long a process that follows the changes waits until it says so, milliseconds: 20 to 40 seconds. It says
 * nothing if it hears another follower meanwhile, because each notice is read by all.
 */
export function followWaitMs(): number {
  const part = Math.log1p(Math.random() * Math.expm1(STEEPNESS)) / STEEPNESS;
  return LEAST_MS * (1 + part);
}
