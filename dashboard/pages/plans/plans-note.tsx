import { useSession } from '../../api/session-context.js';
import { Card } from '../../components/card.js';

/** Ends a sentence, and is no part of an address before it. */
const PUNCTUATION = '.,;:!?)';

/** Shows what the admins of this gateway say about prices or a contact; nothing if they say nothing. */
export function PlansNote() {
  const { session } = useSession();
  if (session.plansNote === null) return null;
  return (
    <Card title="Prices and contact">
      <p>{session.plansNote.split(' ').map((word, i) => [i > 0 && ' ', <Word key={i} of={word} />])}</p>
    </Card>
  );
}

/** Links a web or mail address. */
function Word({ of: word }: { of: string }) {
  let end = word.length;
  while (end > 0 && PUNCTUATION.includes(word.charAt(end - 1))) end -= 1;
  const address = word.slice(0, end);
  const href = hrefOf(address);
  if (href === undefined) return <>{word}</>;
  return (
    <>
      <a href={href} rel="noreferrer">
        {address}
      </a>
      {word.slice(end)}
    </>
  );
}

function hrefOf(address: string): string | undefined {
  if (address.startsWith('https://') || address.startsWith('http://')) return address;
  const at = address.indexOf('@');
  return at > 0 && address.includes('.', at) ? `mailto:${address}` : undefined;
}
