import type { Page } from 'playwright-core';

/**
 * What is wrong with the layout of a page as it stands, in words that name the element; nothing, if it is well.
 *
 * - The page scrolls to the side, or something sticks out of its card.
 * - A card ends far below its content; the cards of plans differ in height.
 * - A text has a size that is not in the type scale (tokens.css).
 * - A word of a table is broken apart, or a host or an ID that has room in one line; names and code may be.
 * - The logo, the navigation and the parts of the page are not on one grid.
 * - Controls or headings cover each other.
 * - A control is smaller than 24 by 24 px and has no 24 px for itself.
 * - In a list, meters of one row or fields of one kind are out of line; headers of two columns touch; there is more
 *   space above a table than above a heading.
 * - What a legend counts stands far from it. A chart is empty for more than its first half.
 * - Fields have different insets, a placeholder is cut off, the close button of a dialog is beside its corner, the
 *   chosen one of several buttons does not stand out.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(FIND_FAULTS);
}

/** Within half a pixel: browsers round. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const nameOf = (element) => element.outerHTML.replace(/\\s+/g, ' ').slice(0, 120);
  // Behind an open dialog, nothing can be used.
  const all = (selector, within = document.querySelector('dialog[open]') ?? document) =>
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
  for (const row of all('.plans')) {
    const heights = new Map();
    for (const card of row.children) {
      const { top, height } = card.getBoundingClientRect();
      const first = heights.get(Math.round(top)) ?? height;
      heights.set(Math.round(top), first);
      if (differ(first, height)) faults.push('has another height than the card beside it: ' + nameOf(card));
    }
  }
  const content = (card) => {
    const { paddingTop, paddingBottom, borderTopWidth, borderBottomWidth } = getComputedStyle(card);
    const { top, bottom } = card.getBoundingClientRect();
    return {
      top: top + Number.parseFloat(paddingTop) + Number.parseFloat(borderTopWidth),
      bottom: bottom - Number.parseFloat(paddingBottom) - Number.parseFloat(borderBottomWidth),
    };
  };
  for (const card of all('.card:not(.plan)')) {
    const parts = all(':scope > *, :scope > .loaded > *', card).filter((part) => !part.classList.contains('loaded'));
    const lowest = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
    if (content(card).bottom - lowest > 24) faults.push('ends far below its content: ' + nameOf(card));
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
  const rectsOf = (text, index, { length }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + length);
    return [...range.getClientRects()];
  };
  const isBroken = (rects) => new Set(rects.map(({ top }) => Math.round(top))).size > 1;
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.parentElement.checkVisibility() || text.parentElement.closest('pre, .visually-hidden')) continue;
    if (text.parentElement.closest('td') && !text.parentElement.closest('.name, code, .mono, .whole, a[target]'))
      for (const { index, 0: word } of text.data.matchAll(/[\\p{L}\\d]+/gu))
        if (isBroken(rectsOf(text, index, word)))
          faults.push('breaks the word ' + word + ': ' + nameOf(text.parentElement));
    // Hosts and IDs: a hyphen within them is no place to break if the next line has room for all of it.
    for (const { index, 0: word } of text.data.matchAll(/(?:https?:[/][/])?(?:[\\w-]+[.])+[a-z][\\w-]*(?::\\d+)?|(?:proj|key|dep|dom)_\\w+/g)) {
      const rects = rectsOf(text, index, word);
      const block = text.parentElement.closest('p, li, dd, td, div, article, section, main');
      const room = block.getBoundingClientRect().width;
      const wide = rects.reduce((sum, { width }) => sum + width, 0);
      if (isBroken(rects) && wide < room - 8) faults.push('breaks ' + word + ', which has room: ' + nameOf(text.parentElement));
    }
  }

  // Lists: what is of one kind has one place in all rows.
  for (const table of all('table')) {
    const places = new Map();
    for (const row of all('tbody tr', table)) {
      const tracks = all('.meter-track', row).map((track) => track.getBoundingClientRect());
      const [first] = tracks;
      if (tracks.some(({ top, left }, at) => differ(top, first.top) || left < (tracks[at - 1]?.right ?? 0))) faults.push('has meters out of line: ' + nameOf(row));
      for (const cell of all('td[data-label]', row)) {
        const { label } = cell.dataset;
        const { left, right } = cell.getBoundingClientRect();
        if (!places.has(label)) places.set(label, { left, right });
        if (differ(places.get(label).left, left) && differ(places.get(label).right, right)) faults.push('has another place than in the row above: ' + nameOf(cell));
      }
    }
    const heads = all('thead th', table).filter((head) => !head.querySelector('.visually-hidden'));
    if (heads.length === 0 || getComputedStyle(table).display !== 'table') continue;
    const words = heads.map((head) => {
      const range = document.createRange();
      range.selectNodeContents(head);
      return range.getBoundingClientRect();
    });
    heads.forEach((head, at) => {
      const next = heads[at + 1];
      if (next && head.matches('.is-number') && !next.matches('.is-number') && words[at + 1].left - words[at].right < 24)
        faults.push('touches the next header: ' + nameOf(head));
    });
    const card = table.closest('.card');
    if (card && all('*', card).find((one) => one.matches('h2, h3, p, table, .animal-tools')) === table && words[0].top - content(card).top > 6)
      faults.push('has too much space above it: ' + nameOf(table));
  }
  for (const windows of all('.windows')) {
    const tracks = all('.meter-track', windows).map((track) => track.getBoundingClientRect());
    const [first] = tracks;
    if (tracks.some(({ top, left }) => differ(top, first.top) && differ(left, first.left)))
      faults.push('has meters out of line: ' + nameOf(windows));
  }

  for (const chart of all('.chart')) {
    const [what] = all('.chart-head strong', chart).map((one) => one.getBoundingClientRect());
    const entries = all('.legend-entry', chart).map((one) => one.getBoundingClientRect());
    // In the line above it, or before it in its line.
    const [entry] = entries;
    if (what.bottom > entry.top ? entry.left - what.right > 16 : entry.top - what.bottom > 16) faults.push('is far from its legend: ' + nameOf(chart));
    const [plot] = all('svg.chart-plot', chart);
    const bars = all('.chart-bar', chart).map((bar) => bar.getBoundingClientRect().left);
    const { left, width } = plot.getBoundingClientRect();
    // A week is drawn in any case.
    if (plot.querySelectorAll(':scope > g').length > 3 + 7 && bars.length > 0 && Math.min(...bars) - left > width * 0.6)
      faults.push('is empty for most of its width: ' + nameOf(chart));
  }

  // The text of a select is set off by its paddings alone only without the browser's own look.
  const insetOf = (field) => {
    const { paddingLeft, borderLeftWidth, appearance } = getComputedStyle(field);
    const own = field.localName === 'select' && appearance !== 'none' ? 4 : 0;
    return Number.parseFloat(paddingLeft) + Number.parseFloat(borderLeftWidth) + own;
  };
  for (const group of all('.filters, form')) {
    const fields = all('input.input:not([type=file]), select.input', group);
    for (const field of fields)
      if (differ(insetOf(field), insetOf(fields[0])))
        faults.push('is set in by ' + insetOf(field) + ' px, not ' + insetOf(fields[0]) + ': ' + nameOf(field));
  }
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  for (const field of all('input[placeholder]')) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    pen.font = font;
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    if (field.placeholder && pen.measureText(field.placeholder).width > room)
      faults.push('cuts its placeholder off: ' + nameOf(field));
  }
  for (const head of all('dialog[open] .dialog-head')) {
    const [close] = all('button svg', head);
    if (!close) continue;
    const range = document.createRange();
    range.selectNodeContents(head.querySelector('h2'));
    const [line] = range.getClientRects();
    const cross = close.getBoundingClientRect();
    if (Math.abs(cross.right - head.getBoundingClientRect().right) > 4) faults.push('is not at the edge: ' + nameOf(close));
    if (Math.abs((cross.top + cross.bottom) / 2 - (line.top + line.bottom) / 2) > 1.5)
      faults.push('is not in the line of the title: ' + nameOf(close));
  }
  const lightnessOf = (element) => {
    pen.fillStyle = getComputedStyle(element).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (const chosen of all('.segment.is-chosen'))
    if ((lightnessOf(chosen) + 0.05) / (lightnessOf(chosen.parentElement) + 0.05) < 1.1)
      faults.push('does not stand out from its row: ' + nameOf(chosen));

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

  // Within 2 px: borders may touch.
  const solid = all('h1, h2, h3, button, a.button, nav a, input, select');
  const places = solid.map((one) => one.getBoundingClientRect());
  places.forEach((a, at) =>
    places.slice(at + 1).forEach((b, further) => {
      const [one, other] = [solid[at], solid[at + 1 + further]];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 2 && !one.contains(other) && !other.contains(one))
        faults.push('covers ' + nameOf(other) + ': ' + nameOf(one));
    }),
  );

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
