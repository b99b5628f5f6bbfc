import { DateAndTime } from '../../components/time.js';
import { WholeWords } from '../../components/whole-words.js';
import type { ChangedValue } from './audit-documents.js';
import { wordsOfProperty } from './audit-words.js';

/** Shows each changed property with its value before and after. For a new property it shows only the new value. */
export function Changes({ changes }: { changes: readonly ChangedValue[] }) {
  if (changes.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="changes">
      {changes.map(({ property, before, after }) => (
        <li key={property}>
          <span class="quiet">{wordsOfProperty(property)}</span>{' '}
          {before !== null && (
            <>
              <del>
                <Value text={before} />
              </del>{' '}
              <span aria-hidden="true">→</span>{' '}
            </>
          )}
          <ins>{after === null ? 'none' : <Value text={after} />}</ins>
        </li>
      ))}
    </ul>
  );
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Shows timestamps in the reader's time zone. */
function Value({ text }: { text: string }) {
  return MOMENT.test(text) ? (
    <DateAndTime at={text} />
  ) : (
    <bdi class="name" title={text}>
      <WholeWords>{text}</WholeWords>
    </bdi>
  );
}
