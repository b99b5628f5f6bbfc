/** The pages about animals. They load together when the user opens one of them. */
export { default as Animals } from './animals/animals-page.js';
export { default as Catalogue } from './animals/catalogue-page.js';
export { default as ImportAnimals } from './animals/import/import-page.js';
