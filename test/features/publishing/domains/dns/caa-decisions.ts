/** The authority and the account of the decisions below. */
export const CAA_ISSUER = 'ca.example';
export const CAA_ACCOUNTS = 'https://ca.example/acme/acct/';
export const CAA_ACCOUNT_NUMBER = 7;
export const CAA_ACCOUNT_URL = `${CAA_ACCOUNTS}${CAA_ACCOUNT_NUMBER}`;

/**
 * CAA record sets, as in a zone file, and whether Let's Encrypt's own code permits a certificate by HTTP-01 with them.
 * Source: `va.DoCAA` of the Go module github.com/letsencrypt/boulder v0.20260921.0, run by
 * test/domains-full/caa-decisions.
 */
export const CAA_DECISIONS: readonly [string, readonly string[], boolean][] = [
  // Issuers.
  ['the authority', ['0 issue "ca.example"'], true],
  ['the authority in capitals', ['0 issue "CA.Example"'], false],
  ['the tag in capitals', ['0 ISSUE "ca.example"'], true],
  ['the authority with blanks around it', ['0 issue " ca.example "'], true],
  ['the authority with tabs around it', ['0 issue "\\009ca.example\\009"'], true],
  ['the authority with a dot at the end', ['0 issue "ca.example."'], false],
  ['a name above the authority', ['0 issue "example"'], false],
  ['a name below the authority', ['0 issue "www.ca.example"'], false],
  ['another authority', ['0 issue "other.example"'], false],
  ['another authority and this one', ['0 issue "other.example"', '0 issue "ca.example"'], true],
  ['two authorities in one record', ['0 issue "other.example ca.example"'], false],
  ['quotes in the value', ['0 issue "\\"ca.example\\""'], false],
  ['the address of the authority', ['0 issue "https://ca.example"'], false],

  // Nobody.
  ['nobody', ['0 issue ";"'], false],
  ['nobody, by an empty value', ['0 issue ""'], false],
  ['nobody, by a blank', ['0 issue " "'], false],
  ['nobody, with a parameter', ['0 issue "; a=b"'], false],
  ['nobody and the authority', ['0 issue ";"', '0 issue "ca.example"'], true],
  ['an empty value and the authority', ['0 issue ""', '0 issue "ca.example"'], true],

  // Other properties beside `issue`, with and without values.
  ['the authority, and no wildcards', ['0 issue "ca.example"', '0 issuewild ";"'], true],
  ['the authority, and no wildcards by an empty value', ['0 issue "ca.example"', '0 issuewild ""'], true],
  ['the authority, and an empty iodef', ['0 issue "ca.example"', '0 iodef ""'], true],
  ['the authority, and an empty unknown property', ['0 issue "ca.example"', '0 tbs ""'], true],
  ['no wildcards', ['0 issuewild ";"'], true],
  ['no wildcards, by an empty value', ['0 issuewild ""'], true],
  ['wildcards of the authority only', ['0 issue ";"', '0 issuewild "ca.example"'], false],
  ['wildcards of another authority', ['0 issuewild "other.example"'], true],
  ['a report address', ['0 iodef "mailto:security@example.com"'], true],
  ['an empty report address', ['0 iodef ""'], true],
  ['no S/MIME certificates', ['0 issuemail ";"'], true],
  ['an unknown property', ['0 tbs "x"'], true],

  // The critical flag.
  ['a critical issue', ['128 issue "ca.example"'], true],
  ['a critical issue of another authority', ['128 issue "other.example"'], false],
  ['a critical issuewild', ['0 issue "ca.example"', '128 issuewild ";"'], true],
  ['a critical iodef', ['0 issue "ca.example"', '128 iodef "mailto:a@example.com"'], true],
  ['a critical issuemail', ['0 issue "ca.example"', '128 issuemail ";"'], true],
  ['a critical issuevmc', ['0 issue "ca.example"', '128 issuevmc ";"'], true],
  ['a critical IODEF in capitals', ['0 issue "ca.example"', '128 IODEF "mailto:a@example.com"'], true],
  ['a critical contactemail', ['0 issue "ca.example"', '128 contactemail "a@example.com"'], false],
  ['a critical contactphone', ['0 issue "ca.example"', '128 contactphone "+1"'], false],
  ['a critical unknown property', ['0 issue "ca.example"', '128 tbs "x"'], false],
  ['a critical unknown property without a value', ['0 issue "ca.example"', '128 tbs ""'], false],
  ['a critical unknown property alone', ['128 tbs "x"'], false],
  ['an unknown property with flag 1', ['0 issue "ca.example"', '1 tbs "x"'], false],
  ['an unknown property with all flags', ['0 issue "ca.example"', '255 tbs "x"'], false],
  ['an unknown property with reserved flags', ['0 issue "ca.example"', '126 tbs "x"'], true],

  // The form of parameters.
  ['a semicolon at the end', ['0 issue "ca.example;"'], true],
  ['a semicolon and a blank at the end', ['0 issue "ca.example; "'], true],
  ['two semicolons at the end', ['0 issue "ca.example;;"'], false],
  ['an unknown parameter', ['0 issue "ca.example; a=b"'], true],
  ['a parameter with blanks', ['0 issue "ca.example ; a = b ; c = d "'], true],
  ['a parameter and a semicolon at the end', ['0 issue "ca.example; a=b;"'], false],
  ['a parameter without a value', ['0 issue "ca.example; a="'], true],
  ['a parameter without a name', ['0 issue "ca.example; =b"'], true],
  ['a parameter without an equals sign', ['0 issue "ca.example; a"'], false],
  ['a parameter with two equals signs', ['0 issue "ca.example; a=b=c"'], true],
  ['a parameter with a blank in its value', ['0 issue "ca.example; a=b c"'], false],
  ['a parameter with a hyphen in its name', ['0 issue "ca.example; a-b=c"'], false],
  ['a parameter with an underscore in its name', ['0 issue "ca.example; a_b=c"'], false],
  ['a parameter with a letter outside ASCII', ['0 issue "ca.example; a=\\195\\188"'], false],
  ['parameters without a semicolon', ['0 issue "ca.example a=b"'], false],
  ['a comma in place of the semicolon', ['0 issue "ca.example, a=b"'], false],
  ['a malformed record and a good one', ['0 issue "ca.example; a"', '0 issue "ca.example"'], true],
  ['the same parameter twice', ['0 issue "ca.example; a=b; a=b"'], true],

  // accounturi (RFC 8657 section 3).
  ['the account', ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/7"'], true],
  ['another account', ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/8"'], false],
  [
    'the account of another authority',
    ['0 issue "ca.example; accounturi=https://other.example/acct/7"'],
    false,
  ],
  [
    'an account that begins alike',
    ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/77"'],
    false,
  ],
  ['the account with a slash', ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/7/"'], false],
  ['the account in capitals', ['0 issue "ca.example; accounturi=https://CA.example/acme/acct/7"'], false],
  ['the account over HTTP', ['0 issue "ca.example; accounturi=http://ca.example/acme/acct/7"'], false],
  ['an empty account', ['0 issue "ca.example; accounturi="'], false],
  ['an account that is no address', ['0 issue "ca.example; accounturi=7"'], false],
  [
    'the account with a blank after the sign',
    ['0 issue "ca.example; accounturi= https://ca.example/acme/acct/7"'],
    true,
  ],
  ['AccountURI in other case', ['0 issue "ca.example; accountURI=https://ca.example/acme/acct/8"'], true],
  [
    'the account twice',
    [
      '0 issue "ca.example; accounturi=https://ca.example/acme/acct/7; accounturi=https://ca.example/acme/acct/7"',
    ],
    false,
  ],
  [
    'two accounts in two records',
    [
      '0 issue "ca.example; accounturi=https://ca.example/acme/acct/8"',
      '0 issue "ca.example; accounturi=https://ca.example/acme/acct/7"',
    ],
    true,
  ],
  [
    'the account, by DNS only',
    ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/7; validationmethods=dns-01"'],
    false,
  ],

  // validationmethods (RFC 8657 section 4).
  ['HTTP', ['0 issue "ca.example; validationmethods=http-01"'], true],
  ['HTTP, with blanks around the sign', ['0 issue "ca.example; validationmethods = http-01 "'], true],
  ['DNS', ['0 issue "ca.example; validationmethods=dns-01"'], false],
  ['DNS and HTTP', ['0 issue "ca.example; validationmethods=dns-01,http-01"'], true],
  [
    'DNS and HTTP with a blank after the comma',
    ['0 issue "ca.example; validationmethods=dns-01, http-01"'],
    false,
  ],
  ['HTTP in capitals', ['0 issue "ca.example; validationmethods=HTTP-01"'], false],
  ['the parameter in capitals', ['0 issue "ca.example; ValidationMethods=dns-01"'], true],
  ['HTTP twice in one list', ['0 issue "ca.example; validationmethods=http-01,http-01"'], true],
  ['two lists', ['0 issue "ca.example; validationmethods=http-01; validationmethods=http-01"'], false],
  ['an empty list', ['0 issue "ca.example; validationmethods="'], false],
  ['a comma after HTTP', ['0 issue "ca.example; validationmethods=http-01,"'], true],
  ['a comma before HTTP', ['0 issue "ca.example; validationmethods=,http-01"'], false],
  ['an unknown method and HTTP', ['0 issue "ca.example; validationmethods=ca-x,http-01"'], true],
  ['a malformed method before HTTP', ['0 issue "ca.example; validationmethods=a_b,http-01"'], false],
  ['a malformed method after HTTP', ['0 issue "ca.example; validationmethods=http-01,a_b"'], true],
  ['HTTP among others by a semicolon', ['0 issue "ca.example; validationmethods=dns-01;http-01"'], false],
];
