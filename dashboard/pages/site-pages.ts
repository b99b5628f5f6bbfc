/** A project and its site: what is loaded at once when somebody goes to one of these. */
export { default as Overview } from './overview/overview-page.js';
export { default as Domains } from './domains/domains-page.js';
export { default as Deploys } from './deploys/deploys-page.js';
