import type { Page } from 'playwright-core';

/** Left edge, top edge and right edge on the page, in steps of 8 px. */
export type Box = [number, number, number];

/** By kind and name, such as `heading Keys`. A second element of the same kind and name has a number after it. */
export type Boxes = Record<string, Box>;

/** By kind: colour, background, border, text size and weight of the first visible element, as the browser computes them. */
export type Styles = Record<string, string>;

/** How far an edge may be from where it was, in steps of 8 px. Words have other widths in other fonts. */
const BOX_TOLERANCE = 1;
const WORDS_TOLERANCE = 4;

/** The boxes of the page as it stands. Of each table, only the first row counts, and no h3: how many depends on the data. */
export function boxesOf(page: Page): Promise<Boxes> {
  return page.evaluate(FIND_BOXES);
}

export function stylesOf(page: Page): Promise<Styles> {
  return page.evaluate(FIND_STYLES);
}

/**
 * How the boxes differ from those that were kept, in words; nothing, if they do not.
 *
 * Both edges of a landmark, card, table or figure count. Of a heading, field, button or link, one edge must be where it
 * was. Of tops, only the order counts: fonts wrap texts differently, and a chart is as high as its data needs.
 */
export function boxFaults(kept: Boxes, found: Boxes): string[] {
  const faults = Object.keys(found)
    .filter((name) => kept[name] === undefined)
    .map((name) => `is new: ${name}`);
  for (const [name, [left, , right]] of Object.entries(kept)) {
    const box = found[name];
    if (box === undefined) {
      faults.push(`is missing: ${name}`);
      continue;
    }
    const isWords = /^(heading|field|button|link) /.test(name);
    const [byLeft, byRight] = [Math.abs(box[0] - left), Math.abs(box[2] - right)];
    const isInPlace = isWords
      ? Math.min(byLeft, byRight) <= WORDS_TOLERANCE
      : Math.max(byLeft, byRight) <= BOX_TOLERANCE;
    if (!isInPlace) faults.push(`is from ${box[0]} to ${box[2]}, not from ${left} to ${right}: ${name}`);
  }
  return [...faults, ...orderFaults(kept, found)];
}

/** What was well above another element of its column must not be below it. Columns move past each other as data grows. */
function orderFaults(kept: Boxes, found: Boxes): string[] {
  const places = Object.entries(kept).flatMap(([name, [left, top, right]]) => {
    const box = found[name];
    return box === undefined ? [] : [{ name, left, top, right, foundTop: box[1] }];
  });
  return places.flatMap((upper) =>
    places
      .filter(({ left, right }) => left < upper.right && upper.left < right)
      .filter(({ top, foundTop }) => upper.top + WORDS_TOLERANCE < top && upper.foundTop > foundTop)
      .map((lower) => `is below ${lower.name}: ${upper.name}`),
  );
}

const VISIBLE = `const visible = (selector) =>
  [...document.querySelectorAll(selector)].filter(
    (one) => one.checkVisibility() && !one.closest('.visually-hidden, .skip, tbody tr:not(:first-child)'),
  );`;

const KINDS = `const kinds = {
  landmark: 'header.topbar, nav, main',
  heading: 'h1, h2',
  card: '.card',
  table: 'table',
  figure: 'figure',
  field: 'input, select',
  button: 'button, a.button',
  link: 'nav a',
};`;

const FIND_BOXES = `(() => {
  ${VISIBLE}
  ${KINDS}
  const boxes = {};
  for (const [kind, selector] of Object.entries(kinds))
    for (const element of visible(selector)) {
      const words = ['heading', 'button', 'link'].includes(kind) && (element.ariaLabel ?? element.textContent);
      const name = (kind + ' ' + (words || element.localName)).replace(/\\d+/g, '#').replace(/\\s+/g, ' ').trim();
      let unique = name;
      for (let at = 2; unique in boxes; at++) unique = name + ' (' + at + ')';
      const { left, top, right } = element.getBoundingClientRect();
      boxes[unique] = [left + scrollX, top + scrollY, right + scrollX].map((edge) => Math.round(edge / 8));
    }
  return boxes;
})()`;

const FIND_STYLES = `(() => {
  ${VISIBLE}
  const kinds = {
    body: 'body',
    topbar: '.topbar',
    'current link': 'nav a[aria-current]',
    link: 'nav a:not([aria-current])',
    title: 'h1',
    heading: 'h2',
    quiet: '.quiet',
    card: '.card',
    field: 'input, select',
    button: '.button:not(.button-quiet)',
    'quiet button': '.button-quiet',
    'table head': 'th',
    'table cell': 'td',
    good: '.badge.tone-good',
    neutral: '.badge.tone-neutral',
    warn: '.badge.tone-warn',
    bad: '.badge.tone-bad',
  };
  const styles = {};
  for (const [kind, selector] of Object.entries(kinds)) {
    const [element] = visible(selector);
    if (!element) continue;
    const { color, backgroundColor, borderBottomWidth, borderBottomColor, fontSize, fontWeight } = getComputedStyle(element);
    const border = borderBottomWidth === '0px' ? 'no border' : borderBottomColor;
    styles[kind] = [color, backgroundColor, border, fontSize, fontWeight].join('; ');
  }
  return styles;
})()`;
