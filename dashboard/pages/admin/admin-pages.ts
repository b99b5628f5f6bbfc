/** The pages that only admins load. */
export { default as Gateway } from './gateway/gateway-page.js';
export { default as AllProjects } from './projects/projects-page.js';
export { default as AllKeys } from './keys/all-keys-page.js';
export { default as System } from './system/system-page.js';
