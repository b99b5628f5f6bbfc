import { MAX_REFUSALS, type KeyRefusal, type UsageGroup } from './usage.js';
import type { KeyDay } from './usage-store.js';

/** Identifies a group within its day. */
export function nameOf({
  interface: apiInterface,
  operation,
  status,
}: Omit<UsageGroup, 'requests' | 'cost'>): string {
  return `${apiInterface} ${operation} ${status}`;
}

export function sumOf(parts: Iterable<readonly UsageGroup[]>): UsageGroup[] {
  const sums = new Map<string, UsageGroup>();
  for (const part of parts)
    for (const group of part) {
      const name = nameOf(group);
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, { ...group });
      else {
        sum.requests += group.requests;
        sum.cost += group.cost;
      }
    }
  return [...sums.values()];
}

export interface ProjectDay extends Pick<KeyDay, 'day' | 'groups' | 'bans'> {
  projectId: string;
  /** The latest ones, at most MAX_REFUSALS, oldest first. */
  refusals: readonly KeyRefusal[];
}

/** Sums key days into the days of their projects. */
export function projectDays(keyDays: readonly KeyDay[]): ProjectDay[] {
  const ofProjects = new Map<string, { projectId: string; day: string; days: KeyDay[] }>();
  for (const keyDay of keyDays) {
    const { projectId, day } = keyDay;
    if (projectId === undefined) continue;
    const name = `${projectId} ${day}`;
    const ofProject = ofProjects.get(name);
    if (ofProject === undefined) ofProjects.set(name, { projectId, day, days: [keyDay] });
    else ofProject.days.push(keyDay);
  }
  return Array.from(ofProjects.values(), ({ projectId, day, days }) => ({
    projectId,
    day,
    groups: sumOf(days.map(({ groups }) => groups)),
    bans: days.reduce((sum, { bans }) => sum + bans, 0),
    // No more than are kept: thousands of keys would make the write too large for MongoDB.
    refusals: days
      .flatMap(({ keyId, refusals }) => refusals.map((refusal) => ({ ...refusal, keyId })))
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .slice(-MAX_REFUSALS),
  }));
}
