import { DOMAINS_FROM } from '../../../../features/plans/plans.js';
import type {
  CertificateTrack,
  DnsTrack,
  DomainStatus,
} from '../../../../features/publishing/domains/domain.js';
import type { ProblemCode } from '../../../../features/publishing/domains/problem.js';
import { enumOf } from '../enums.js';

export const DomainStatusEnum = enumOf<DomainStatus>('DomainStatus', 'The overall status of a domain.', {
  pending: 'Verification has not been requested yet.',
  verifying: 'The gateway is checking the DNS records of the domain.',
  issuing:
    'The domain is verified. Its SSL certificate is issued automatically, usually within a couple of minutes.',
  active: 'The domain is served over HTTPS.',
  suspended:
    "The gateway keeps the domain but does not serve it, because the project's plan no longer includes domains.",
  action_required:
    'The domain has a problem. `problem` says what to do next, and whether the gateway retries.',
});

export const DomainDnsStateEnum = enumOf<DnsTrack['state']>(
  'DomainDnsState',
  'The result of the DNS check of a domain.',
  {
    pending: 'The gateway has not checked the records yet.',
    verifying: 'Verification was requested, and the gateway has not checked the records since.',
    verified:
      'The records pointed to the project when the gateway last saw them. It checks them again every few hours.',
    failed:
      'The records are wrong, or DNS did not answer. The gateway checks the records again as long as `problem` has a `retryAt`. A domain that was verified before stays served.',
  },
);

export const DomainCertificateStateEnum = enumOf<CertificateTrack['state']>(
  'DomainCertificateState',
  'The state of the SSL certificate of a domain. Customers do not install or renew anything.',
  {
    none: 'There is no certificate. The gateway requests one only after the domain is verified.',
    issuing: 'The gateway is requesting a certificate from the certificate authority.',
    active: 'A certificate is in use.',
    renewing:
      'A certificate is in use, and the gateway is requesting the next one from the certificate authority.',
    failed: 'The gateway could not get a certificate from the certificate authority.',
  },
);

export const DomainProblemCodeEnum = enumOf<ProblemCode>(
  'DomainProblemCode',
  'The reason why a domain is not served, or soon will not be.',
  {
    no_record: 'The name has no CNAME, ALIAS or ANAME record.',
    nxdomain: 'The name does not exist in DNS.',
    cname_mismatch: 'The CNAME value differs from the one the dashboard shows.',
    conflicting_a_record: 'An existing A record blocks the CNAME.',
    conflicting_aaaa_record: 'An existing AAAA record blocks the CNAME, or sends some visitors elsewhere.',
    apex_address_mismatch: 'The apex domain points to other addresses than the platform host.',
    cname_loop: 'The CNAME records form a loop, or a chain of too many names.',
    dns_unavailable: 'DNS did not respond, which says nothing about the records.',
    ownership_txt_required:
      'Another project holds, held or recently added the domain. A TXT record must prove who owns it.',
    caa_blocks: 'A CAA record blocks the certificate authority.',
    ca_rate_limited:
      'The certificate has to wait, because the certificate authority or the platform limits the number of certificates.',
    ca_unavailable: 'The certificate authority does not respond, or the gateway lacks an encryption key.',
    ca_rejected: 'The certificate authority rejected the request for a certificate.',
    plan_required: `Custom domains require a paid plan (${DOMAINS_FROM}). During the grace period after a downgrade the domain is still served.`,
    not_deployed: 'Custom domains require a successful deploy of the project.',
    ssl_overdue: 'SSL is not provisioned after 30 minutes.',
  },
);
