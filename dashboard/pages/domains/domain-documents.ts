import type { PlanId } from '../../../src/features/plans/plans.js';
import { gql } from '../../api/document.js';

export type DomainStatus = 'pending' | 'verifying' | 'issuing' | 'active' | 'action_required' | 'suspended';

export type ProblemCode =
  | 'apex_address_mismatch'
  | 'ca_rate_limited'
  | 'ca_rejected'
  | 'ca_unavailable'
  | 'caa_blocks'
  | 'cname_loop'
  | 'cname_mismatch'
  | 'conflicting_a_record'
  | 'conflicting_aaaa_record'
  | 'dns_unavailable'
  | 'no_record'
  | 'not_deployed'
  | 'nxdomain'
  | 'ownership_txt_required'
  | 'plan_required'
  | 'ssl_overdue';

export interface DnsRecord {
  type: string;
  name: string;
  fullName: string;
  value: string;
  ttl: number;
}

export interface Problem {
  code: ProblemCode;
  message: string;
  expected: string | null;
  found: string | null;
  at: string;
  retryAt: string | null;
}

export interface Domain {
  id: string;
  name: string;
  unicodeName: string;
  isApex: boolean;
  isPrimary: boolean;
  status: DomainStatus;
  dnsState: 'pending' | 'verifying' | 'verified' | 'failed';
  verifiedAt: string | null;
  certificateState: 'none' | 'issuing' | 'active' | 'renewing' | 'failed';
  certificateExpiresAt: string | null;
  problem: Problem | null;
  records: DnsRecord[];
}

export interface Redirect {
  from: string;
  to: string;
  status: number;
}

/** The project's host on the platform. */
export interface Site {
  host: string;
  url: string;
  isHttps: boolean;
  problem: { message: string } | null;
}

export interface ProjectWithDomains {
  id: string;
  name: string;
  plan: { id: PlanId; name: string };
  liveDeploy: { id: string } | null;
  /** Null if this gateway publishes no sites; `site` is then null too. */
  primaryDomain: string | null;
  site: Site | null;
  domains: Domain[];
  redirects: Redirect[];
}

const DOMAIN_FIELDS = `
  fragment DomainFields on Domain {
    id
    name
    unicodeName
    isApex
    isPrimary
    status
    dnsState
    verifiedAt
    certificateState
    certificateExpiresAt
    problem {
      code
      message
      expected
      found
      at
      retryAt
    }
    records {
      type
      name
      fullName
      value
      ttl
    }
  }
`;

export const PROJECT_DOMAINS = gql<{ project: ProjectWithDomains | null }, { id: string }>`
  query ProjectDomains($id: ID!) {
    project(id: $id) {
      id
      name
      plan {
        id
        name
      }
      liveDeploy {
        id
      }
      primaryDomain
      site {
        host
        url
        isHttps
        problem {
          message
        }
      }
      domains {
        ...DomainFields
      }
      redirects {
        from
        to
        status
      }
    }
  }
  ${DOMAIN_FIELDS}
`;

export const ADD_DOMAIN = gql<
  { addDomain: { domain: { id: string; unicodeName: string } } },
  { input: { projectId: string; name: string } }
>`
  mutation AddDomain($input: AddDomainInput!) {
    addDomain(input: $input) {
      domain {
        id
        unicodeName
      }
    }
  }
`;

export const VERIFY_DOMAIN = gql<{ verifyDomain: { domain: { id: string } } }, { input: { id: string } }>`
  mutation VerifyDomain($input: VerifyDomainInput!) {
    verifyDomain(input: $input) {
      domain {
        id
      }
    }
  }
`;

export const REMOVE_DOMAIN = gql<{ removeDomain: { domainId: string } }, { input: { id: string } }>`
  mutation RemoveDomain($input: RemoveDomainInput!) {
    removeDomain(input: $input) {
      domainId
    }
  }
`;

export const SET_PRIMARY_DOMAIN = gql<
  { setPrimaryDomain: { project: { id: string } } },
  { input: { projectId: string; domainId: string | null } }
>`
  mutation SetPrimaryDomain($input: SetPrimaryDomainInput!) {
    setPrimaryDomain(input: $input) {
      project {
        id
      }
    }
  }
`;

export const SET_REDIRECT = gql<
  { setRedirect: { project: { id: string } } },
  { input: { projectId: string; from: string; to: string; status: number } }
>`
  mutation SetRedirect($input: SetRedirectInput!) {
    setRedirect(input: $input) {
      project {
        id
      }
    }
  }
`;

export const REMOVE_REDIRECT = gql<
  { removeRedirect: { project: { id: string } } },
  { input: { projectId: string; from: string } }
>`
  mutation RemoveRedirect($input: RemoveRedirectInput!) {
    removeRedirect(input: $input) {
      project {
        id
      }
    }
  }
`;
