/** The pages about keys and what they may do. They load together when the user opens one of them. */
export { default as Account } from './account/account-page.js';
export { default as Keys } from './keys/keys-page.js';
export { default as Key } from './keys/key-page.js';
export { default as Staff } from './staff/staff-page.js';
export { default as Plans } from './plans/plans-page.js';
