/**
 * Draws each animal from the parts in animals.svg, because the API has no pictures. All animals of a category are drawn
 * as the same kind, whatever kind that is. Everything else depends on the id, so an animal always looks the same.
 */
const KINDS = ['bird', 'dog', 'cat', 'rabbit', 'guinea-pig', 'mouse'];
const MARKS = ['plain', 'patch', 'blaze', 'plain'];
const EYES = ['open', 'happy', 'open', 'wink'];
/** The numbers of variants in the style sheet. */
const COATS = 8;
const TONES = 6;

const SVG = 'http://www.w3.org/2000/svg';

/** Returns a decorative <svg>. Its class names select the coat and the background tone. */
export function portraitOf({ id, categoryId }) {
  const draw = choicesFrom(id);
  const kind = KINDS[Number(BigInt.asUintN(64, BigInt(categoryId)) % BigInt(KINDS.length))];
  const portrait = document.createElementNS(SVG, 'svg');
  portrait.setAttribute('viewBox', '0 0 100 100');
  portrait.setAttribute('preserveAspectRatio', 'xMidYMax');
  portrait.setAttribute('aria-hidden', 'true');
  portrait.setAttribute('class', `face coat-${draw(COATS)} tone-${draw(TONES)}`);
  for (const part of [kind, MARKS[draw(MARKS.length)], EYES[draw(EYES.length)]]) {
    const use = document.createElementNS(SVG, 'use');
    use.setAttribute('href', `animals.svg#${part}`);
    portrait.append(use);
  }
  return portrait;
}

/** Returns numbers below the given ones: the same for the same 64-bit id, and different for consecutive ids. */
function choicesFrom(id) {
  const once = scatter(BigInt(id));
  let bits = scatter(once ^ (once >> 32n)) >> 32n;
  return (count) => {
    const choice = Number(bits % BigInt(count));
    bits /= BigInt(count);
    return choice;
  };
}

/** Fibonacci hashing: the factor is 2^64 divided by the golden ratio. */
function scatter(value) {
  return BigInt.asUintN(64, value * 0x9e3779b97f4a7c15n);
}
