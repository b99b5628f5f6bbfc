import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '../api/api-failure.js';
import { useRole } from '../api/session-context.js';
import type { Query } from '../api/use-query.js';
import { addressOf } from '../shell/addresses.js';
import { Button, ButtonLink } from './button.js';
import { FailureNotice } from './form.js';

/** Shows that there is nothing yet, and how to change that. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

export interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** Placeholder rows for content that is still loading. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="skeleton-row" />
      ))}
    </div>
  );
}

/** Offers what can help: another try, or the home page if the signed-in key may not see this one. */
export function FailureState({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  const role = useRole();
  return (
    <div class="stack">
      <FailureNotice failure={failure} />
      <div>
        {failure.code === 'forbidden' ? (
          <ButtonLink href={addressOf.home}>
            Go to {role === 'staff' ? 'the animals' : 'the home page'}
          </ButtonLink>
        ) : (
          <Button onPress={onRetry}>Try again</Button>
        )}
      </div>
    </div>
  );
}

export interface LoadedProps<Result> {
  query: Omit<Query<Result>, 'patch'>;
  children: (result: Result) => ComponentChildren;
  /** Number of placeholder rows. */
  skeletonRows?: number;
}

/**
 * Shows a query's result, its loading state, or its error. If a later request fails, the error appears above the last
 * result.
 */
export function Loaded<Result>({ query, children, skeletonRows = 3 }: LoadedProps<Result>) {
  const { result, failure, isStale, refetch } = query;
  if (result === undefined)
    return failure === undefined ? (
      <Skeleton rows={skeletonRows} />
    ) : (
      <FailureState failure={failure} onRetry={() => void refetch()} />
    );
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div class="loaded" aria-busy={isStale && failure === undefined}>
        {children(result)}
      </div>
    </>
  );
}
