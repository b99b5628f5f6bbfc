/** A label of a name that can have an address and a certificate: letters, digits and hyphens (RFC 1123 section 2.1). */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const ADDRESS_IN_BRACKETS = /^\[[0-9a-f:.]+\]$/;
const NAME_OR_NOTHING = /^[a-z0-9._-]*$/;
const MAX_LENGTH = 253;

/**
 * The host in a Host header (RFC 9110 section 7.2), in lower case, without its port and its trailing dot. Empty if the
 * header names no host. Undefined if the header is invalid, for example a list or a value with a user.
 */
export function hostOfHeader(header: string): string | undefined {
  const host = header.toLowerCase().replace(/:[0-9]{0,5}$/, '');
  if (ADDRESS_IN_BRACKETS.test(host)) return host;
  return NAME_OR_NOTHING.test(host) ? host.replace(/\.$/, '') : undefined;
}

/** Whether the text is a host name in lower case. An IP address is not a host name. */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_LENGTH &&
    labels.every((label) => LABEL.test(label)) &&
    !/^[0-9]+$/.test(labels.at(-1) ?? '')
  );
}
