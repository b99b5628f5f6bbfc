const encode = encodeURIComponent;

/** The ID of a card. */
export const STUCK_DOMAINS = 'stuck-domains';

/** The path of each page. */
export const addressOf = {
  home: '/dashboard',
  account: '/dashboard/account',
  catalogue: '/dashboard/catalogue',
  plans: '/dashboard/plans',
  plansOf: (projectId: string) => `/dashboard/plans?project=${encode(projectId)}`,
  project: (id: string) => `/dashboard/projects/${encode(id)}`,
  animals: (id: string) => `/dashboard/projects/${encode(id)}/animals`,
  /** Null is an animal of no project. */
  animal: (projectId: string | null, id: string) =>
    `${projectId === null ? addressOf.catalogue : addressOf.animals(projectId)}?id=${encode(id)}`,
  importOf: (id: string) => `/dashboard/projects/${encode(id)}/animals/import`,
  domains: (id: string) => `/dashboard/projects/${encode(id)}/domains`,
  deploys: (id: string) => `/dashboard/projects/${encode(id)}/deploys`,
  keys: (id: string) => `/dashboard/projects/${encode(id)}/keys`,
  staff: (id: string) => `/dashboard/projects/${encode(id)}/staff`,
  key: (id: string, keyId: string) => `/dashboard/projects/${encode(id)}/keys/${encode(keyId)}`,
  projectAudit: (id: string) => `/dashboard/projects/${encode(id)}/audit`,
  gateway: '/dashboard/admin',
  stuckDomains: `/dashboard/admin#${STUCK_DOMAINS}`,
  allProjects: '/dashboard/admin/projects',
  allKeys: '/dashboard/admin/keys',
  audit: '/dashboard/admin/audit',
  auditOfProject: (id: string) => `/dashboard/admin/audit?projectId=${encode(id)}`,
  auditOfKey: (id: string) => `/dashboard/admin/audit?apiKeyId=${encode(id)}`,
  system: '/dashboard/admin/system',
} as const;
