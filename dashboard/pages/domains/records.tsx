import { CopyButton } from '../../components/copy-button.js';
import { Table } from '../../components/table.js';
import type { DnsRecord, Domain } from './domain-documents.js';

/** Step 2 of section 1.1 of the specification: the records to enter at the DNS provider, each with a copy button. */
export function Records({ domain }: { domain: Domain }) {
  const { records, alternativeRecords, unicodeName, isApex } = domain;
  return (
    <div class="stack">
      <p>
        {isApex ? (
          <>
            An apex domain (no subdomain) needs an <strong>ALIAS</strong> or <strong>ANAME</strong> record
            instead of a CNAME. Not every DNS provider supports these. If yours does not,{' '}
            {alternativeRecords.length === 0
              ? `use a subdomain such as www.${unicodeName}.`
              : 'add the A and AAAA records below in place of it.'}
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
      <RecordsTable caption={`DNS records of ${unicodeName}`} records={records} />
      {alternativeRecords.length > 0 && (
        <>
          <p>In place of the ALIAS or ANAME record:</p>
          <RecordsTable
            caption={`Records of ${unicodeName} in place of the ALIAS or ANAME record`}
            records={alternativeRecords}
          />
        </>
      )}
      <p class="quiet small">DNS changes may take up to 48 hours to propagate.</p>
    </div>
  );
}

function RecordsTable({ caption, records }: { caption: string; records: readonly DnsRecord[] }) {
  return (
    <Table
      caption={caption}
      rows={records}
      keyOf={({ type, fullName, value }) => `${type} ${fullName} ${value}`}
      columns={[
        { header: 'Type', cell: typeOf },
        { header: 'Name', cell: ({ type, name }) => <Copied value={name} what={`${type} name`} /> },
        { header: 'Value', cell: ({ type, value }) => <Copied value={value} what={`${type} value`} /> },
        { header: 'TTL', cell: ({ type, ttl }) => <Copied value={String(ttl)} what={`${type} TTL`} /> },
      ]}
    />
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
