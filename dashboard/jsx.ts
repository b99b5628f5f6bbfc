/** What the bundler writes elements with: shorter than calls of the JSX runtime. */
export { Fragment, h } from 'preact';
