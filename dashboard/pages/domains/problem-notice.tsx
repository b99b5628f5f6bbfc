import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import type { Problem } from './domain-documents.js';
import { PROBLEM_TITLES, toneOfProblem } from './domain-progress.js';

/** Shows the problem, the expected and the found DNS value, and the time of the next check. */
export function ProblemNotice({ problem }: { problem: Problem }) {
  const { code, message, expected, found, at, retryAt } = problem;
  return (
    <Notice tone={toneOfProblem(code)} title={PROBLEM_TITLES[code]}>
      <div class="stack">
        <p>{message}</p>
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
      </div>
    </Notice>
  );
}
