/**
 * The animals of the store, from /graphql on this page's own host. All state is the chosen status, in the address, and
 * the list that is shown.
 */
const PAGE_SIZE = 12;
const TIMEOUT_MS = 15_000;
/** Tones of the cards, one for each of as many categories. */
const TONES = 6;
const SKELETONS = 6;

const QUERY = `query Animals($first: Int!, $status: PetStatus, $after: String) {
  petsConnection(first: $first, status: $status, after: $after) {
    edges { node { id name categoryId status } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const STATUS_WORDS = { available: 'Available', pending: 'Pending', sold: 'Found a home' };
const EMPTY_WORDS = {
  available: 'Nobody is available right now',
  pending: 'Nobody is pending right now',
  sold: 'Nobody has found a home yet',
  '': 'There are no animals yet',
};

const find = (id) => document.getElementById(id);
const list = find('animals');
const count = find('count');
const more = find('more');
const notice = find('notice');
const choices = [...document.querySelectorAll('input[name="status"]')];
const apiKey = document.querySelector('meta[name="api-key"]').content;

/** What is under way for the list as it is chosen now; another choice ends it. */
let current = new AbortController();
let endCursor = null;

/** Not an answer with animals: `retryAfterSeconds` where it said when to come again. */
class NoAnswer extends Error {
  constructor(reason, retryAfterSeconds) {
    super(reason);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

async function fetchAnimals(status, after, signal) {
  const request = new AbortController();
  const end = () => request.abort();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, TIMEOUT_MS);
  try {
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json',
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        query: QUERY,
        variables: { first: PAGE_SIZE, after, ...(status !== '' && { status }) },
      }),
      signal: request.signal,
    });
    if (answer.status === 429 || answer.status === 503) throw new NoAnswer('busy', retryAfterOf(answer));
    const { data, errors } = await answer.json();
    if (!answer.ok || errors !== undefined)
      throw new NoAnswer(errors?.[0]?.message ?? `status ${answer.status}`);
    return data.petsConnection;
  } finally {
    clearTimeout(timer);
  }
}

function retryAfterOf(answer) {
  const seconds = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? 10 : Math.max(1, seconds);
}

/** Shows the chosen status from its beginning, or what follows the list that is shown. */
async function show({ fromStart }) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const status = chosenStatus();
  notice.hidden = true;
  if (fromStart) {
    endCursor = null;
    count.textContent = 'Loading…';
    more.hidden = true;
    list.replaceChildren(...Array.from({ length: SKELETONS }, skeleton));
  }
  setBusy(true);
  try {
    const { edges, pageInfo } = await fetchAnimals(status, endCursor, signal);
    if (signal.aborted) return;
    endCursor = pageInfo.endCursor;
    const cards = edges.map(({ node }) => card(node));
    if (fromStart) list.replaceChildren(...cards);
    else list.append(...cards);
    const hadFocus = document.activeElement === more;
    more.hidden = !pageInfo.hasNextPage;
    // The button is gone with the last page: whoever pressed it goes on at what it brought.
    if (hadFocus && more.hidden) (cards[0] ?? list).focus();
    tellCount(pageInfo.hasNextPage);
    if (list.childElementCount === 0) tellEmpty(status);
  } catch (error) {
    if (signal.aborted) return;
    if (fromStart) {
      list.replaceChildren();
      count.textContent = '';
    }
    more.hidden = true;
    tellFailure(error, fromStart, signal);
  } finally {
    if (!signal.aborted) setBusy(false);
  }
}

function chosenStatus() {
  return choices.find(({ checked }) => checked).value;
}

function setBusy(isBusy) {
  list.setAttribute('aria-busy', String(isBusy));
  more.setAttribute('aria-disabled', String(isBusy));
  more.textContent = isBusy ? 'Loading…' : 'Load more';
}

function card({ name, categoryId, status }) {
  const item = find('animal').content.cloneNode(true).firstElementChild;
  const part = (className) => item.querySelector(`.${className}`);
  item.tabIndex = -1;
  part('initial').textContent = initialOf(name);
  part('portrait').classList.add(`tone-${BigInt.asUintN(64, BigInt(categoryId)) % BigInt(TONES)}`);
  part('name').textContent = name;
  part('category').textContent = `Category ${categoryId}`;
  part('status').textContent = STATUS_WORDS[status];
  part('status').classList.add(`is-${status}`);
  return item;
}

/** The first letter or digit with its accents; of a name that has none, whatever it begins with. */
function initialOf(name) {
  const [initial] = /\p{L}\p{M}*|\p{N}/u.exec(name) ?? Array.from(name.trim());
  return (initial ?? '').toUpperCase();
}

function skeleton() {
  const item = document.createElement('li');
  item.className = 'animal waiting';
  item.setAttribute('aria-hidden', 'true');
  item.append(
    ...['portrait', 'about'].map((name) => Object.assign(document.createElement('div'), { className: name })),
  );
  return item;
}

function tellCount(hasMore) {
  const shown = list.childElementCount;
  if (shown === 0) count.textContent = '';
  else
    count.textContent = `${shown} ${shown === 1 ? 'animal' : 'animals'}${hasMore ? ', and there are more' : ''}`;
}

function tellEmpty(status) {
  if (status === '') {
    tell(EMPTY_WORDS[status], 'Come back soon: new ones arrive all the time.');
    return;
  }
  tell(EMPTY_WORDS[status], 'Perhaps one of the others is for you.', 'Show all animals', () => choose(''));
}

function tellFailure(error, fromStart, signal) {
  const again = () => show({ fromStart });
  if (error instanceof NoAnswer && error.retryAfterSeconds !== undefined) {
    countDown(error.retryAfterSeconds, again, signal);
    return;
  }
  console.warn('The animals could not be loaded:', error.message);
  tell(
    `${fromStart ? 'The' : 'More'} animals could not be loaded`,
    'Check your connection, or try again in a moment.',
    'Try again',
    again,
  );
}

/** Says when it tries again, and does. */
function countDown(seconds, again, signal) {
  const dueMs = Date.now() + seconds * 1000;
  const title = 'So many visitors at once';
  const textOf = (left) =>
    `The animals will be back in ${left === 1 ? 'a second' : `${left} seconds`}. This page tries again by itself.`;
  tell(title, textOf(seconds));
  const timer = setInterval(() => {
    const left = Math.ceil((dueMs - Date.now()) / 1000);
    if (left > 0) find('notice-text').textContent = textOf(left);
    else again();
  }, 250);
  // Another choice, and the next attempt, end the waiting.
  signal.addEventListener('abort', () => clearInterval(timer));
}

function tell(title, text, buttonText, onPress) {
  find('notice-title').textContent = title;
  find('notice-text').textContent = text;
  const button = find('notice-button');
  button.hidden = buttonText === undefined;
  button.textContent = buttonText ?? '';
  button.onclick = onPress ?? null;
  notice.hidden = false;
}

function choose(status) {
  const choice = choices.find(({ value }) => value === status) ?? choices[0];
  choice.checked = true;
  choice.focus();
  chosen();
}

function chosen() {
  const address = new URL(location.href);
  address.searchParams.set('status', chosenStatus() || 'all');
  history.replaceState(null, '', address);
  show({ fromStart: true });
}

for (const choice of choices) choice.addEventListener('change', chosen);
more.addEventListener('click', () => {
  if (more.getAttribute('aria-disabled') !== 'true') show({ fromStart: false });
});

const asked = new URLSearchParams(location.search).get('status');
const wanted = choices.find(({ value }) => (value || 'all') === asked);
if (wanted !== undefined) wanted.checked = true;
show({ fromStart: true });
