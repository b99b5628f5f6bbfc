import type { WindowState } from '../../features/plans/window.js';
import type { Prepared } from './prepare.js';

/**
 * `extensions` of each response: the cost, the windows after the charge, and the requested fields that will be removed.
 */
export function renderExtensions(
  { cost, deprecated }: Pick<Prepared, 'cost' | 'deprecated'>,
  windows: readonly WindowState[],
) {
  return {
    cost: { requested: cost, windows: windows.map(renderWindow) },
    ...(deprecated.length > 0 && { deprecations: deprecated }),
  };
}

function renderWindow({ name, limit, remaining, resetAtMs }: WindowState) {
  const resetAt = resetAtMs === undefined ? null : new Date(resetAtMs).toISOString();
  return { name, limit, remaining, resetAt };
}
