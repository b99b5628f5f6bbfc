/**
 * A drawing for each animal, put together from the parts in animals.svg: there are no pictures in the API. Animals of
 * one category are drawn as one kind, whatever kind that is; all else comes from the id and so is always the same.
 */
const KINDS = ['bird', 'dog', 'cat', 'rabbit', 'guinea-pig', 'mouse'];
const MARKS = ['plain', 'patch', 'blaze', 'plain'];
const EYES = ['open', 'happy', 'open', 'wink'];
/** As many as the style sheet has of each. */
const COATS = 8;
const TONES = 6;

const SVG = 'http://www.w3.org/2000/svg';

/** An <svg> that is decoration: its class names say which coat, and which tone goes behind it. */
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

/** Numbers below the given ones: the same for the same id, in all of its 64 bits, and unlike for ids in a row. */
function choicesFrom(id) {
  const once = scatter(BigInt(id));
  let bits = scatter(once ^ (once >> 32n)) >> 32n;
  return (count) => {
    const choice = Number(bits % BigInt(count));
    bits /= BigInt(count);
    return choice;
  };
}

/** Fibonacci hashing: the factor is 2^64 by the golden ratio. */
function scatter(value) {
  return BigInt.asUintN(64, value * 0x9e3779b97f4a7c15n);
}
