import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { invalidRequest } from '../../../lib/errors.js';
import { isNotInDns, isPrivateName } from './private-names.js';

/** A hostname that a customer can attach to a project. */
export interface DomainName {
  /** ASCII, lower case, without a trailing dot: the form for storage, comparison and lookup. */
  name: string;
  /** The form for display. */
  unicode: string;
  /** The domain registered at a registrar: one label below a public suffix, including private suffixes (github.io). */
  registrable: string;
  /** Whether the name is the registrable domain itself, where DNS allows no CNAME record. */
  isApex: boolean;
  /** `<subdomain_label>` in the specification: the labels before the registrable domain, '' at the apex. */
  label: string;
}

export interface DomainNameRules {
  /** PLATFORM_HOST. Customers cannot attach this name or names under it. */
  platformHost: string;
  /** The request field to name in the error. */
  field?: string;
}

/** RFC 1035 allows 253 characters. The ownership record, with `_pets-gateway.` in front, must fit as well. */
const MAX_LENGTH = 253 - '_pets-gateway.'.length;
const TOO_LONG = `must have at most ${MAX_LENGTH} characters in its ASCII form`;
/** No spelling of a name needs more. Conversion to ASCII takes quadratic time: half a second for 20,000 characters. */
const MAX_TEXT_LENGTH = 1000;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** What surrounds the name if a person pastes it from the address bar of a browser. */
const PASTED_SCHEME = /^https?:\/\//i;

/**
 * Parses a hostname that a person typed or pasted: `https://www.example.org/` is www.example.org. Converts international
 * names to ASCII (UTS 46) and accepts a trailing dot. Does not check if the name is registered: a DNS check finds out.
 *
 * @throws ApiError invalid_request
 */
export function parseDomainName(
  given: string,
  { platformHost, field = 'domain' }: DomainNameRules,
): DomainName {
  const refuse = (message: string): never => {
    throw invalidRequest({ field, message });
  };
  if (given.length > MAX_TEXT_LENGTH) refuse(TOO_LONG);
  const text = given.trim().replace(PASTED_SCHEME, '').replace(/\/$/, '');
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

/**
 * Checks the text before domainToASCII, which parses like a browser: it would cut at a slash, decode %41 and drop line
 * breaks.
 */
function faultOfText(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (/[\s\p{Cc}]/u.test(text)) return 'must not have spaces, line breaks or control characters';
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return 'must be a domain name, not an IP address';
  if (/[/\\?#@:]/.test(text))
    return 'must be a domain name only, such as shop.example.com: no scheme, user, port or path';
  if (text.includes('*')) return 'must not be a wildcard: add each name separately';
  if (text.includes('%')) return 'must not contain percent signs';
  return undefined;
}

function faultOfName(name: string, platformHost: string): string | undefined {
  if (name === '') return 'is not a valid domain name';
  if (isIP(name) !== 0) return 'must be a domain name, not an IP address';
  if (name.length > MAX_LENGTH) return TOO_LONG;
  const labels = name.split('.');
  if (labels.some((label) => label.length > 63)) return 'must not have a part of more than 63 characters';
  if (labels.includes('')) return 'must not have an empty part between its dots';
  if (name.includes('_'))
    return 'must not contain underscores: certificate authorities issue no certificates for such names';
  if (!labels.every((label) => LABEL.test(label)))
    return 'must contain only letters, digits and hyphens, and no part may start or end with a hyphen';
  // Reserved by RFC 5890 section 2.3.1, and rejected by certificate authorities.
  if (labels.some((label) => /^(?!xn).{2}--/.test(label)))
    return 'must not have a part with hyphens as its third and fourth characters';
  if (labels.some((label) => label.startsWith('xn--') && !isALabel(label)))
    return 'is not a valid domain name';
  if (labels.length === 1) return 'must have at least two parts, such as example.com';
  if (name === platformHost || name.endsWith(`.${platformHost}`))
    return `must be a domain of your own: the platform assigns the names under ${platformHost}`;
  if (isNotInDns(name) || isPrivateName(name, platformHost))
    return `must be a public name: .${labels.at(-1)} is reserved`;
  return undefined;
}

/** Whether a label with the prefix `xn--` stands for an international label. Only some versions of Node check that. */
function isALabel(label: string): boolean {
  const unicode = domainToUnicode(label);
  return unicode !== label && domainToASCII(unicode) === label;
}

/** Scripts with letters that look alike. A label that mixes two of them is deceptive. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];

function readable(name: string): string {
  const unicode = domainToUnicode(name);
  const deceives = unicode
    .split('.')
    .some((label) => LOOKALIKES.filter((script) => script.test(label)).length > 1);
  return deceives ? name : unicode;
}

/** Returns the name without `www.` if it has that label, otherwise the name with it. An apex such as `www.com` has none. */
export function counterpartOf({ name, isApex }: Pick<DomainName, 'name' | 'isApex'>): string {
  return name.startsWith(WWW) && !isApex ? name.slice(WWW.length) : `${WWW}${name}`;
}

const WWW = 'www.';
