import { STATUS_WORDS } from '../animals/status-words.js';

const ACTIONS: Readonly<Record<string, string>> = {
  'project.create': 'Created the project',
  'project.update': 'Renamed the project',
  'project.changePlan': 'Changed the plan',
  'project.delete': 'Deleted the project',
  'apiKey.create': 'Created the key',
  'apiKey.update': 'Changed the key',
  'apiKey.rotate': 'Rotated the key',
  'apiKey.disable': 'Disabled the key',
  'apiKey.enable': 'Enabled the key',
  'apiKey.revoke': 'Revoked the key',
  'invitation.create': 'Invited the person',
  'invitation.accept': 'Accepted the invitation',
  'pet.create': 'Added the animal',
  'pet.update': 'Changed the animal',
  'pet.delete': 'Removed the animal',
  'pet.deleteAll': 'Removed all animals of the project',
  'pets.import': 'Imported animals',
  'quota.reset': 'Reset the quota',
  'ban.lift': 'Lifted the ban',
  'deploy.create': 'Started a deploy',
  'deploy.publish': 'Published a deploy',
  'deploy.rollback': 'Rolled back',
  'domain.add': 'Added a domain',
  'domain.verify': 'Requested verification of a domain',
  'domain.setPrimary': 'Set the primary domain',
  'domain.remove': 'Removed a domain',
  'domain.verified': 'Verified a domain',
  'domain.lost': 'Lost a domain to another project',
  'redirect.set': 'Set a redirect',
  'redirect.remove': 'Removed a redirect',
  'session.signIn': 'Signed in to the dashboard',
  'session.signOut': 'Signed out of the dashboard',
  'session.end': 'Ended another session',
  'session.createLink': 'Created a sign-in link',
};

export const ACTION_CHOICES = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }));

/** An action that is unknown here is shown by its name in the API. */
export function wordsOfAction(action: string): string {
  return ACTIONS[action] ?? action;
}

/** The words of shelters for the status of an animal, as on the Animals page. */
export function wordsOfStatus(status: string): string {
  return (STATUS_WORDS as Readonly<Record<string, string>>)[status] ?? status;
}

/** As the Animals page calls them. */
const PROPERTIES: Readonly<Record<string, string>> = { categoryId: 'Category', externalId: 'Own number' };

/** `requestsPerMinute` becomes "Requests per minute". */
export function wordsOfProperty(property: string): string {
  const known = PROPERTIES[property];
  if (known !== undefined) return known;
  const words = property.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
