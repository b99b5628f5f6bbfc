import { FoldingCard } from '../../components/card.js';

/** The rules of section 1.1, item 5, of the specification. Open while a domain has a problem. */
export function Troubleshooting({ isNeeded }: { isNeeded: boolean }) {
  return (
    <FoldingCard title="Troubleshooting" isOpen={isNeeded}>
      <dl class="advice">
        <dt>Verification fails</dt>
        <dd>
          A conflicting DNS record exists for the same subdomain (an existing A record blocks the CNAME), or
          the CNAME value differs from the one shown here.
        </dd>
        <dt>SSL is not provisioned after 30 minutes</dt>
        <dd>
          Confirm that the domain still verifies, check that no CAA record blocks the certificate authority,
          and choose Re-verify to trigger a new attempt.
        </dd>
        <dt>The browser warns about a private connection</dt>
        <dd>The certificate is not yet provisioned, or the browser has cached an old one.</dd>
      </dl>
    </FoldingCard>
  );
}
