/**
 * The page of animals. Its state is the filter, which is in the address, and the animals read for each filter. So going
 * back shows the previous list without a request.
 */
import { portraitOf } from './portrait.js';
import { readAnimals, Refused } from './read-animals.js';

const SKELETONS = 8;
const DEFAULT_FILTER = 'available';
/** For a longer wait, the page shows the time of day instead of the seconds. */
const COUNTED_SECONDS = 90;

const STATUS_WORDS = { available: 'Available', pending: 'Reserved', sold: 'Adopted' };
const EMPTY_WORDS = {
  available: 'No animals are available right now',
  pending: 'No animals are reserved right now',
  sold: 'No animals have been adopted yet',
  all: 'There are no animals yet',
};

const find = (id) => document.getElementById(id);
const list = find('animals');
const count = find('count');
const more = find('more');
const notice = find('notice');
const noticeButton = find('notice-button');
const links = [...document.querySelectorAll('.filters a')];
const storeName = document.querySelector('meta[name="application-name"]').content;
const titleOfStore = document.title;

/** By filter: { animals, endCursor, hasNextPage }. */
const read = new Map();
let filter;
/** Aborts the request under way when another filter or another attempt replaces it. */
let current = new AbortController();

const filterOf = (url) => {
  const asked = new URL(url).searchParams.get('status') ?? DEFAULT_FILTER;
  return Object.hasOwn(EMPTY_WORDS, asked) ? asked : DEFAULT_FILTER;
};

/** Shows the filter in the address: the list read before, or a new request. */
function open({ isFresh }) {
  filter = filterOf(location.href);
  for (const link of links)
    if (filterOf(link.href) === filter) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  const isDefault = filter === DEFAULT_FILTER;
  document.title = isDefault ? titleOfStore : `${STATUS_WORDS[filter] ?? 'All animals'}: ${storeName}`;
  if (isFresh) read.delete(filter);
  const left = read.get(filter);
  if (left === undefined) {
    void readMore();
    return;
  }
  begin();
  list.replaceChildren(...left.animals.map(card));
  tellRead(left);
}

/** Aborts the request under way and removes its notice. */
function begin() {
  current.abort();
  current = new AbortController();
  more.hidden = read.get(filter)?.hasNextPage !== true;
  // Removing the focused button must not lose the reader's place in the page.
  if (notice.contains(document.activeElement)) (more.hidden ? list : more).focus({ preventScroll: true });
  notice.hidden = true;
  count.classList.remove('spoken');
  setBusy(false);
  return current.signal;
}

/** Reads the next page of the list, or its first page. */
async function readMore() {
  const signal = begin();
  const before = read.get(filter);
  if (before === undefined)
    list.replaceChildren(...Array.from({ length: SKELETONS }, () => copyOf('waiting')));
  setBusy(true);
  count.textContent = 'Loading…';
  try {
    const status = filter === 'all' ? undefined : filter;
    const { animals, ...page } = await readAnimals({ status, after: before?.endCursor, signal });
    if (signal.aborted) return;
    const now = { animals: [...(before?.animals ?? []), ...animals], ...page };
    read.set(filter, now);
    const cards = animals.map(card);
    if (before === undefined) list.replaceChildren(...cards);
    else list.append(...cards);
    // The last page removes the button: moves the focus from it to the first new animal.
    if (document.activeElement === more && !page.hasNextPage) (cards[0] ?? list).focus();
    setBusy(false);
    tellRead(now);
  } catch (error) {
    if (signal.aborted) return;
    setBusy(false);
    more.hidden = true;
    if (before === undefined) list.replaceChildren();
    tellFailure(error, signal);
  }
}

function setBusy(isBusy) {
  list.setAttribute('aria-busy', String(isBusy));
  more.setAttribute('aria-disabled', String(isBusy));
}

function copyOf(template) {
  return find(template).content.cloneNode(true).firstElementChild;
}

function card(animal) {
  const { id, name, categoryId, status } = animal;
  const item = copyOf('animal');
  item.classList.add(`of-${status}`);
  const part = (className) => item.querySelector(`.${className}`);
  part('portrait').append(portraitOf(animal));
  part('name').textContent = name;
  part('category').textContent = `Category ${categoryId}`;
  part('number').textContent = `No. ${id}`;
  part('status').textContent = STATUS_WORDS[status];
  part('status').classList.add(`is-${status}`);
  return item;
}

function tellRead({ animals, hasNextPage }) {
  more.hidden = !hasNextPage;
  const shown = animals.length;
  if (shown > 0) {
    count.textContent = `${shown} ${shown === 1 ? 'animal' : 'animals'}${hasNextPage ? ' shown. There are more.' : ''}`;
    return;
  }
  if (filter === 'all') showNotice(EMPTY_WORDS.all, 'Come back soon to meet new arrivals.');
  else showNotice(EMPTY_WORDS[filter], 'Look at all animals instead.', ['Show all animals', showAll]);
}

function tellFailure(error, signal) {
  const again = ['Try again', () => void readMore()];
  if (error.retryAfterSeconds !== undefined) {
    waitAndRetry(error, signal);
  } else if (error.status === 401 || error.status === 403) {
    // The key was replaced: the page was open for a long time, or the storefront must be deployed again.
    showNotice('This page is out of date', 'Reload it to see the animals.', [
      'Reload',
      () => location.reload(),
    ]);
  } else if (!navigator.onLine) {
    showNotice('You are offline', 'The animals load as soon as you are online again.', again);
    addEventListener('online', () => void readMore(), { signal });
  } else {
    const what = list.childElementCount === 0 ? 'the animals' : 'more animals';
    showNotice(`We couldn’t load ${what}`, 'Check your connection, or try again in a moment.', again);
    if (error instanceof Refused) console.warn('Could not load the animals:', error.message);
  }
}

/** Shows when the page retries, and retries: not earlier than the server asked. */
function waitAndRetry({ status, retryAfterSeconds }, signal) {
  const dueMs = Date.now() + retryAfterSeconds * 1000;
  const whenDue = (left) => {
    if (left > COUNTED_SECONDS)
      return `at ${new Date(dueMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`;
    return `in ${left} ${left === 1 ? 'second' : 'seconds'}`;
  };
  const textOf = (left) => `This page tries again automatically ${whenDue(left)}.`;
  showNotice(
    status === 429 ? 'Too many visitors right now' : 'This page is unavailable right now',
    textOf(retryAfterSeconds),
  );
  const timer = setInterval(() => {
    const left = Math.ceil((dueMs - Date.now()) / 1000);
    if (left > 0) find('notice-text').textContent = textOf(left);
    else void readMore();
  }, 250);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Shows a notice at the end of the list. Screen readers announce only its title: a countdown would never be silent. */
function showNotice(title, text, [label, press] = []) {
  find('notice-title').textContent = title;
  find('notice-text').textContent = text;
  noticeButton.hidden = label === undefined;
  noticeButton.textContent = label ?? '';
  noticeButton.onclick = press ?? null;
  notice.hidden = false;
  count.textContent = title;
  count.classList.add('spoken');
}

function showAll() {
  const link = links.find(({ href }) => filterOf(href) === 'all');
  link.focus();
  link.click();
}

for (const link of links)
  link.addEventListener('click', (event) => {
    // The browser handles opening a new tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (filterOf(link.href) !== filter) history.pushState(null, '', link.href);
    open({ isFresh: true });
  });
more.addEventListener('click', () => {
  if (more.getAttribute('aria-disabled') !== 'true') void readMore();
});
addEventListener('popstate', () => {
  // Also handles the link to the list, which does not change the filter.
  if (filterOf(location.href) !== filter) open({ isFresh: false });
});
open({ isFresh: true });
