import { CopyButton } from '../../components/copy-button.js';
import { Table } from '../../components/table.js';
import type { DnsRecord, Domain } from './domain-documents.js';

/** Step 2 of section 1.1 of the specification: the records to enter at the DNS provider, each with a copy button. */
export function Records({ domain }: { domain: Domain }) {
  const { records, unicodeName, isApex } = domain;
  return (
    <div class="stack">
      <p>
        {isApex ? (
          <>
            An apex domain (no subdomain) needs an <strong>ALIAS</strong> or <strong>ANAME</strong> record
            instead of a CNAME. Not every DNS provider supports these. If yours does not, use a subdomain such
            as www.{unicodeName}.
          </>
        ) : (
          <>
            For a subdomain, add a <strong>CNAME</strong> record with these values at your DNS provider.
          </>
        )}
        {records.some(isProof) && (
          <>
            {' '}
            The <strong>TXT</strong> record proves that the domain is yours. It is needed because another
            project holds or held a name in this domain, or has recently added one.
          </>
        )}
      </p>
      <Table
        caption={`DNS records of ${unicodeName}`}
        rows={records}
        keyOf={({ type, fullName }) => `${type} ${fullName}`}
        columns={[
          { header: 'Type', cell: typeOf },
          { header: 'Name', cell: ({ type, name }) => <Copied value={name} what={`${type} name`} /> },
          { header: 'Value', cell: ({ type, value }) => <Copied value={value} what={`${type} value`} /> },
          { header: 'TTL', cell: ({ type, ttl }) => <Copied value={String(ttl)} what={`${type} TTL`} /> },
        ]}
      />
      <p class="quiet small">DNS changes may take up to 48 hours to propagate.</p>
    </div>
  );
}

function isProof({ type }: DnsRecord): boolean {
  return type === 'TXT';
}

function typeOf({ type }: DnsRecord): string {
  return type === 'ALIAS' ? 'ALIAS or ANAME' : type;
}

function Copied({ value, what }: { value: string; what: string }) {
  return (
    <span class="copied">
      <code>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}
