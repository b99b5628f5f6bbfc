/** yaml-transform.cjs makes these modules. */
declare module '*.yaml' {
  const document: unknown;
  export default document;
}
