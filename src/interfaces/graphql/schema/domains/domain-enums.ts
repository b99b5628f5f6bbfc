import { DOMAINS_FROM } from '../../../../features/plans/plans.js';
import type {
  CertificateTrack,
  DnsTrack,
  DomainStatus,
} from '../../../../features/publishing/domains/domain.js';
import type { ProblemCode } from '../../../../features/publishing/domains/problem.js';
import { enumOf } from '../enum-of.js';

export const DomainStatusEnum = enumOf<DomainStatus>('DomainStatus', 'How far a domain is, in one word.', {
  pending: 'Nobody has chosen Verify yet.',
  verifying: 'The DNS records of the domain are being looked at.',
  issuing: 'Verified: its SSL certificate is issued automatically, usually within a couple of minutes.',
  active: 'The domain is served over HTTPS.',
  suspended: 'The domain is kept, but not served: the plan of its project does not include domains any more.',
  action_required: 'The domain does not go on by itself, or not yet: `problem` says what to do next.',
});

export const DomainDnsStateEnum = enumOf<DnsTrack['state']>(
  'DomainDnsState',
  'What its DNS records say of a domain.',
  {
    pending: 'Nobody has looked at them yet.',
    verifying: 'Verify was chosen, and nobody has looked since.',
    verified: 'The records lead to the project.',
    failed:
      'The records do not lead to the project; as long as `problem` has a `retryAt` they are looked at again.',
  },
);

export const DomainCertificateStateEnum = enumOf<CertificateTrack['state']>(
  'DomainCertificateState',
  'How far the SSL certificate of a domain is. Nothing is installed or renewed by the customer.',
  {
    none: 'There is no certificate, and none is asked for before the domain is verified.',
    issuing: 'The certificate authority is asked for one.',
    active: 'There is a certificate, and it is in use.',
    renewing: 'There is a certificate in use, and the certificate authority is asked for the next.',
    failed: 'The certificate authority gave none.',
  },
);

export const DomainProblemCodeEnum = enumOf<ProblemCode>(
  'DomainProblemCode',
  'What keeps a domain from being served.',
  {
    no_record: 'The name has no CNAME, ALIAS or ANAME record.',
    nxdomain: 'DNS does not know the name.',
    cname_mismatch: 'The CNAME value differs from the one the dashboard shows.',
    conflicting_a_record: 'An existing A record blocks the CNAME.',
    conflicting_aaaa_record: 'An existing AAAA record blocks the CNAME, or leads some visitors elsewhere.',
    apex_address_mismatch: 'The apex domain leads to other addresses than the platform host.',
    cname_loop: 'The CNAME records lead in a circle, or through too many names.',
    dns_unavailable: 'DNS gave no answer, which says nothing about the records.',
    ownership_txt_required:
      'Another project holds, held or has recently added the domain: a TXT record has to prove whose it is.',
    caa_blocks: 'A CAA record blocks the certificate authority.',
    ca_rate_limited: 'The certificate authority limits how many certificates it gives: it has to wait.',
    ca_unavailable: 'The certificate authority does not answer.',
    ca_rejected: 'The certificate authority refused a certificate.',
    plan_required: `Custom domains require a paid plan (${DOMAINS_FROM}).`,
    not_deployed: 'Custom domains require a successful deploy of the project.',
    ssl_overdue: 'SSL is not provisioned after 30 minutes.',
  },
);
