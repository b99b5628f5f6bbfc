const NAMES: Readonly<Record<string, string>> = {
  mongodb: 'MongoDB',
  migrations: 'Stored data matches this version',
  clock: 'Clock matches MongoDB’s',
  keyChanges: 'Change feed of keys and projects',
  quotaStore: 'Quota store',
  load: 'Load',
};

/** Returns the name of a check of /health/ready. A check that is unknown here keeps its name from there. */
export function nameOfCheck(name: string): string {
  return NAMES[name] ?? name;
}
