import type { Page } from 'playwright-core';

/**
 * What is wrong with the layout of a page as it stands, in words that name the element; nothing, if it is well.
 *
 * - The page scrolls to the side, or something sticks out of its card.
 * - Cards beside each other differ in height.
 * - A text has a size that is not in the type scale (tokens.css).
 * - A word of a table is broken apart; names and code may be.
 * - The logo, the navigation and the parts of the page are not on one grid.
 * - A control is smaller than 24 by 24 px and has no 24 px for itself.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(FIND_FAULTS);
}

/** Within half a pixel: browsers round. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const nameOf = (element) => element.outerHTML.replace(/\\s+/g, ' ').slice(0, 120);
  const all = (selector, within = document) =>
    [...within.querySelectorAll(selector)].filter((one) => one.checkVisibility() && !one.closest('.visually-hidden'));
  const differ = (a, b) => Math.abs(a - b) > 0.5;

  if (document.documentElement.scrollWidth > innerWidth)
    faults.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
  for (const card of all('.card')) {
    const { left, right } = card.getBoundingClientRect();
    for (const inner of all('*', card)) {
      const box = inner.getBoundingClientRect();
      const isHeader = inner.closest('thead') !== null && getComputedStyle(inner.closest('thead')).position === 'absolute';
      if (!isHeader && !inner.closest('pre, svg') && (box.right > right + 0.5 || box.left < left - 0.5))
        faults.push('sticks out of its card: ' + nameOf(inner));
    }
  }
  for (const row of all('.grid, .plans')) {
    const heights = new Map();
    for (const card of row.children) {
      const { top, height } = card.getBoundingClientRect();
      const first = heights.get(Math.round(top)) ?? height;
      heights.set(Math.round(top), first);
      if (differ(first, height)) faults.push('has another height than the card beside it: ' + nameOf(card));
    }
  }

  const root = getComputedStyle(document.documentElement);
  const scale = ['--text-small', '--text', '--text-large', '--text-title'].map(
    (token) => Number.parseFloat(root.getPropertyValue(token)) * Number.parseFloat(root.fontSize) + 'px',
  );
  for (const element of all('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const { fontSize } = getComputedStyle(element);
    if (hasText && !scale.includes(fontSize)) faults.push('is ' + fontSize + ', not in the scale: ' + nameOf(element));
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.parentElement.closest('td') || text.parentElement.closest('.name, code, .mono, a[target]')) continue;
    if (!text.parentElement.checkVisibility()) continue;
    for (const { index, 0: word } of text.data.matchAll(/[\\p{L}\\d]+/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) faults.push('breaks the word ' + word + ': ' + nameOf(text.parentElement));
    }
  }

  const [logo] = all('.topbar .brand svg');
  const [icon] = all('.navigation .icon');
  if (logo && icon && differ(logo.getBoundingClientRect().left, icon.getBoundingClientRect().left))
    faults.push('the navigation is not below the logo');
  const [main] = all('main .page');
  for (const part of all('main .page > *, main .page > .loaded > *')) {
    if (part.classList.contains('loaded')) continue;
    const { left, right } = part.getBoundingClientRect();
    const edge = main.getBoundingClientRect();
    if (differ(left, edge.left) || right > edge.right + 0.5) faults.push('is not on the grid: ' + nameOf(part));
  }

  // A link within a sentence is as high as its line.
  const controls = all('button, input, select, summary, nav a, a.button');
  const boxes = controls.map((control) => control.getBoundingClientRect());
  boxes.forEach((box, at) => {
    if (box.width >= 24 && box.height >= 24) return;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const isCrowded = boxes.some(
      (other, i) =>
        i !== at &&
        !controls[i].contains(controls[at]) &&
        Math.abs(Math.max(other.left, Math.min(x, other.right)) - x) < 12 &&
        Math.abs(Math.max(other.top, Math.min(y, other.bottom)) - y) < 12,
    );
    if (isCrowded) faults.push('is too small to touch: ' + nameOf(controls[at]));
  });
  return faults;
})()`;
