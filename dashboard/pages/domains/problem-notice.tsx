import { Notice } from '../../components/notice.js';
import { AtTime, Time } from '../../components/time.js';
import { withCode } from '../../components/with-code.js';
import type { Problem } from './domain-documents.js';
import { PROBLEM_TITLES, toneOfProblem } from './domain-progress.js';

export interface ProblemNoticeProps {
  problem: Problem;
  /** When visitors lose the site, if the domain is served. */
  servedUntil: string | null;
}

/** Shows the problem, the expected and the found DNS value, the time of the next check, and when the site goes dark. */
export function ProblemNotice({ problem, servedUntil }: ProblemNoticeProps) {
  const { code, message, expected, found, at, retryAt } = problem;
  return (
    <Notice tone={toneOfProblem(code)} title={PROBLEM_TITLES[code]}>
      <div class="stack">
        <p>{withCode(message)}</p>
        {servedUntil !== null && (
          <p>
            If nothing changes, the site goes dark <AtTime at={servedUntil} />.
          </p>
        )}
        {(expected ?? found) !== null && (
          <dl class="facts">
            {expected !== null && (
              <>
                <dt>Expected</dt>
                <dd>
                  <code>{expected}</code>
                </dd>
              </>
            )}
            {found !== null && (
              <>
                <dt>Found</dt>
                <dd>
                  <code>{found}</code>
                </dd>
              </>
            )}
          </dl>
        )}
        {code !== 'plan_required' && (
          <p class="quiet small">
            Detected <Time at={at} />.{' '}
            {retryAt === null ? (
              'The gateway checks again when you choose Verify.'
            ) : (
              <>
                The gateway checks again automatically <Time at={retryAt} />.
              </>
            )}
          </p>
        )}
      </div>
    </Notice>
  );
}
