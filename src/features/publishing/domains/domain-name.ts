import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { invalidRequest } from '../../../lib/errors.js';
import { isNotInDns, isPrivateName } from './private-names.js';

/** A hostname that a customer may attach to a project. */
export interface DomainName {
  /** ASCII, lower case, no trailing dot: as it is stored, compared and looked up. */
  name: string;
  /** As people read it. */
  unicode: string;
  /** What was registered at a registrar: one label below a public suffix, private ones (github.io) included. */
  registrable: string;
  /** Whether the name is the registrable domain itself, where DNS allows no CNAME record. */
  isApex: boolean;
  /** `<subdomain_label>` of the specification: what stands before the registrable domain, '' at the apex. */
  label: string;
}

export interface DomainNameRules {
  /** PLATFORM_HOST: what lies at or under it is the platform's to give. */
  platformHost: string;
  /** Of the request, to name in the error. */
  field?: string;
}

/** RFC 1035 allows 253 characters; the ownership record, `_pets-gateway.` in front, has to be a name too. */
const MAX_LENGTH = 253 - '_pets-gateway.'.length;
const TOO_LONG = `must have at most ${MAX_LENGTH} characters in its ASCII form`;
/** No spelling of a name needs more. The way to ASCII takes the square of the length: half a second for 20,000. */
const MAX_TEXT_LENGTH = 1000;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The one reading of a hostname that a person typed: international names become ASCII (UTS 46), a trailing dot is fine.
 * Whether the name is registered at all is for DNS to say.
 *
 * @throws ApiError invalid_request
 */
export function parseDomainName(
  text: string,
  { platformHost, field = 'domain' }: DomainNameRules,
): DomainName {
  const refuse = (message: string): never => {
    throw invalidRequest({ field, message });
  };
  const textFault = faultOfText(text);
  if (textFault !== undefined) refuse(textFault);
  const name = domainToASCII(text).replace(/\.$/, '');
  const nameFault = faultOfName(name, platformHost);
  if (nameFault !== undefined) refuse(nameFault);

  const { domain, subdomain } = parse(name, { allowPrivateDomains: true });
  if (domain === null) return refuse(`must be a domain of your own: ${name} is a public suffix`);
  return {
    name,
    unicode: readable(name),
    registrable: domain,
    isApex: name === domain,
    label: subdomain ?? '',
  };
}

/** domainToASCII reads as a browser does: it would cut at a slash, decode %41 and drop line breaks. */
function faultOfText(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > MAX_TEXT_LENGTH) return TOO_LONG;
  if (/[\s\p{Cc}]/u.test(text)) return 'must not have spaces, line breaks or control characters';
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return 'must be a domain name, not an IP address';
  if (/[/\\?#@:]/.test(text))
    return 'must be a domain name only, such as shop.example.com: no scheme, user, port or path';
  if (text.includes('*')) return 'must not be a wildcard: add each name by itself';
  if (text.includes('%')) return 'must not have percent signs';
  return undefined;
}

function faultOfName(name: string, platformHost: string): string | undefined {
  if (name === '') return 'is not a valid domain name';
  if (isIP(name) !== 0) return 'must be a domain name, not an IP address';
  if (name.length > MAX_LENGTH) return TOO_LONG;
  const labels = name.split('.');
  if (labels.some((label) => label.length > 63)) return 'must not have a part of more than 63 characters';
  if (labels.includes('')) return 'must not have an empty part between its dots';
  if (name.includes('_')) return 'must not have underscores: no certificate is given to such a name';
  if (!labels.every((label) => LABEL.test(label)))
    return 'must have only letters, digits and hyphens, no part of it with a hyphen at its begin or end';
  // Reserved by RFC 5890 section 2.3.1, and refused by certificate authorities.
  if (labels.some((label) => /^(?!xn).{2}--/.test(label)))
    return 'must not have a part with hyphens at its third and fourth place';
  if (labels.length === 1) return 'must have at least two parts, such as example.com';
  if (name === platformHost || name.endsWith(`.${platformHost}`))
    return `must be a domain of your own: names under ${platformHost} are given by the platform`;
  if (isNotInDns(name) || isPrivateName(name, platformHost))
    return `must be a public name: .${labels.at(-1)} is reserved`;
  return undefined;
}

/** Scripts whose letters pass for each other's: of two in one label, one is there to deceive. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];

function readable(name: string): string {
  const unicode = domainToUnicode(name);
  const deceives = unicode
    .split('.')
    .some((label) => LOOKALIKES.filter((script) => script.test(label)).length > 1);
  return deceives ? name : unicode;
}
