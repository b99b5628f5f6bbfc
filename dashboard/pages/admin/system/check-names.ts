const NAMES: Readonly<Record<string, string>> = {
  mongodb: 'MongoDB',
  migrations: 'What is stored, against this version',
  clock: 'Clock, against MongoDB’s',
  keyChanges: 'Changes of keys and projects',
  quotaStore: 'Quota store',
};

/** Of what /health/ready looked at; one that is new here is called what it is there. */
export function nameOfCheck(name: string): string {
  return NAMES[name] ?? name;
}
