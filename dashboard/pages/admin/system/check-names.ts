const NAMES: Readonly<Record<string, string>> = {
  mongodb: 'MongoDB',
  migrations: 'What is stored, against this version',
  clock: 'Clock, against MongoDB’s',
  keyChanges: 'Changes of keys and projects',
  quotaStore: 'Quota store',
};

/** Returns the name of a check of /health/ready. A check that is unknown here keeps its name from there. */
export function nameOfCheck(name: string): string {
  return NAMES[name] ?? name;
}
