import { DateAndTime } from '../../components/time.js';
import { WholeWords } from '../../components/whole-words.js';
import type { ChangedValue } from './audit-documents.js';
import { wordsOfProperty, wordsOfStatus } from './audit-words.js';

export interface ChangesProps {
  changes: readonly ChangedValue[];
  /** Whether an animal was changed: its status is shown in the words of the Animals page. */
  isOfAnimal: boolean;
}

/** Shows each changed property with its value before and after. For a new property it shows only the new value. */
export function Changes({ changes, isOfAnimal }: ChangesProps) {
  if (changes.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="changes">
      {changes.map(({ property, before, after }) => {
        const isStatus = isOfAnimal && property === 'status';
        return (
          <li key={property}>
            <span class="quiet">{wordsOfProperty(property)}</span>{' '}
            {before !== null && (
              <>
                <del>
                  <Value text={before} isStatus={isStatus} />
                </del>{' '}
                <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <ins>{after === null ? 'none' : <Value text={after} isStatus={isStatus} />}</ins>
          </li>
        );
      })}
    </ul>
  );
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Shows timestamps in the reader's time zone. The title is the text as the API has it. */
function Value({ text, isStatus }: { text: string; isStatus: boolean }) {
  return MOMENT.test(text) ? (
    <DateAndTime at={text} />
  ) : (
    <bdi class="name" title={text}>
      <WholeWords>{isStatus ? wordsOfStatus(text) : text}</WholeWords>
    </bdi>
  );
}
