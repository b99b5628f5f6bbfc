/** The API of a project: what is loaded at once when somebody goes to one of these. */
export { default as Keys } from './keys/keys-page.js';
export { default as Key } from './keys/key-page.js';
export { default as Plans } from './plans/plans-page.js';
export { default as Pets } from './pets/pets-page.js';
