import type { WindowState } from '../quotas/window.js';

/** `extensions.cost` of each answer: what was asked, and how the windows stand after the charge. */
export function renderCost(requested: number, windows: readonly WindowState[]) {
  return {
    requested,
    windows: windows.map(({ name, limit, remaining, resetAtMs }) => ({
      name,
      limit,
      remaining,
      resetAt: resetAtMs === undefined ? null : new Date(resetAtMs).toISOString(),
    })),
  };
}
