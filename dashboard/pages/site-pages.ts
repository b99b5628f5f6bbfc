/** The pages about a project and its site. They load together when the user opens one of them. */
export { default as Overview } from './overview/overview-page.js';
export { default as Domains } from './domains/domains-page.js';
export { default as Deploys } from './deploys/deploys-page.js';
