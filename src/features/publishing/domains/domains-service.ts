import { DOMAINS_FROM, PLANS } from '../../plans/plans.js';
import { randomBase62 } from '../../../lib/random-id.js';
import { ApiError, invalidRequest } from '../../../lib/errors.js';
import { DAY_MS, type Clock } from '../../../lib/clock.js';
import { isSameSite } from '../../../lib/same-site.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import { projectNotFound } from '../../projects/projects-service.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { siteHost } from '../../projects/site-address.js';
import { wantedLead } from './dns/check-routing.js';
import { addressRecords, recordsToPublish, type PublishedRecord } from './dns/records-to-publish.js';
import {
  NEW_DNS,
  NO_CERTIFICATE,
  domainStateOf,
  type Domain,
  type DomainState,
  type NewDomain,
} from './domain.js';
import { counterpartOf, parseDomainName, type DomainName } from './domain-name.js';
import type { DomainsStore } from './domains-store.js';
import { stopRoutingTo, type RoutedProjects } from './stop-routing-to.js';
import {
  checkRedirectStatus,
  DEFAULT_REDIRECT_STATUS,
  withRedirect,
  type Redirect,
} from '../../projects/redirects.js';

export interface SetRedirect {
  from: string;
  to: string;
  status?: number | undefined;
}

/** A domain and the other one of its name with and without `www.`. */
export interface DomainPair {
  domain: Domain;
  counterpart: Domain;
}

/** Operations on domains. The domain jobs perform verification and issuance. Call changes in a transaction. */
export interface DomainsService {
  /** @throws ApiError invalid_request; plan_required; precondition_failed; conflict; not_found */
  add(projectId: string, text: string): Promise<Domain>;
  /**
   * Adds the domain and its counterpart, both or none, and a redirect from the counterpart to the domain. Visitors are
   * redirected once both are served: until then, live-domains.ts passes over the redirect.
   * @throws like `add`
   */
  addPair(projectId: string, text: string): Promise<DomainPair>;
  /** Reads a name as `add` does. @throws ApiError invalid_request */
  parseName(text: string): DomainName;
  /** @throws ApiError not_found */
  get(id: string): Promise<Domain>;
  /** Oldest first. */
  ofProject(projectId: string): Promise<Domain[]>;
  /**
   * The records that the customer adds at a DNS provider. The record that proves ownership is among them as soon as
   * another project's domain requires it, even before Verify.
   */
  recordsOf(domain: Domain, project: Project): Promise<PublishedRecord[]>;
  /** The records that can take the place of an apex's ALIAS record, if the platform has fixed addresses. */
  alternativesOf(domain: Domain): PublishedRecord[];
  /** The project's primary host: its platform host until a domain is chosen. */
  primaryOf(project: Project): string;
  /** Call it after a project's plan changed: certificates may be due. */
  resume(projectId: string): Promise<void>;
  /** The domain's state at this moment. */
  stateOf(domain: Domain, project: Project): DomainState;
  /** Requests a DNS check now, and a certificate after it. @throws ApiError not_found; plan_required */
  verify(id: string): Promise<Domain>;
  /** @throws ApiError not_found */
  remove(id: string): Promise<Domain>;
  /**
   * Undefined selects the platform host.
   * @throws ApiError not_found; precondition_failed unless the domain is verified, and if it redirects elsewhere
   */
  setPrimary(projectId: string, domainId: string | undefined): Promise<Project>;
  /** @throws ApiError invalid_request; not_found; precondition_failed unless `to` is served */
  setRedirect(projectId: string, redirect: SetRedirect): Promise<Project>;
  /** @throws ApiError not_found */
  removeRedirect(projectId: string, from: string): Promise<Project>;
}

export interface DomainsServiceParts {
  domains: DomainsStore;
  projects: Pick<ProjectsStore, 'get'> & RoutedProjects;
  platformHost: string;
  /** The platform's fixed addresses, if any. */
  platformAddresses: readonly string[];
  /** The host of PUBLIC_URL. It is reserved for the operator. */
  operatorHost: string | undefined;
  /** How long domains keep working after the project's plan stops including them, in milliseconds. */
  graceMs: number;
  clock: Clock;
}

/** Per project. */
export const MAX_DOMAINS = 50;
const PENDING_MS = 7 * DAY_MS;

export function createDomainsService({
  domains,
  projects,
  platformHost,
  platformAddresses,
  operatorHost,
  graceMs,
  clock,
}: DomainsServiceParts): DomainsService {
  const projectOf = async (id: string) => (await projects.get(id)) ?? projectNotFound(id);
  async function domainOf(id: string): Promise<Domain> {
    const found = await domains.get(id);
    return found === undefined || found.isPlatform ? domainNotFound(id) : found;
  }
  const isClaimedElsewhere = (domain: Pick<Domain, 'name' | 'registrable' | 'isApex' | 'projectId'>) =>
    domains.isClaimedElsewhere(domain, wantedLead(domain), pendingSince(clock()));
  const parse = (text: string, field: string) => parseDomainName(text, { platformHost, field });

  /** Resolves a name in a redirect to a domain of the project, or to the project's platform host. */
  async function nameOf(project: Project, text: string, field: string): Promise<Domain | string> {
    const host = siteHost(project.slug, platformHost);
    if (text.toLowerCase().replace(/\.$/, '') === host) return host;
    const { name } = parse(text, field);
    const found = (await domains.ofProject(project.id)).find((domain) => domain.name === name);
    if (found === undefined)
      throw new ApiError('not_found', `The project has no domain ${name}.`, { details: { field } });
    return found;
  }

  async function add(projectId: string, parsed: DomainName): Promise<Domain> {
    if (
      [operatorHost, `site.${platformHost}`].some((own) => own !== undefined && isSameSite(parsed.name, own))
    )
      throw invalidRequest({
        field: 'name',
        message: "must be a domain of your own: to browsers this is one site with the platform's",
      });
    // Without the lock, two concurrent adds could both pass the MAX_DOMAINS check.
    const project = (await projects.lock(projectId)) ?? projectNotFound(projectId);
    const needsDeploy = project.liveDeployId === undefined;
    assertDomainsIncluded(project, needsDeploy ? `${NEEDS_SITE} Deploy the project too.` : undefined);
    if (needsDeploy) throw new ApiError('precondition_failed', `${NEEDS_SITE} Deploy the project first.`);
    const others = await domains.ofProject(projectId);
    if (others.length >= MAX_DOMAINS)
      throw invalidRequest({
        field: 'name',
        message: `exceeds the limit of ${MAX_DOMAINS} domains per project`,
      });
    const domain: NewDomain = {
      ...parsed,
      id: `dom_${randomBase62(16)}`,
      projectId,
      isPlatform: false,
      createdAt: new Date(clock()),
      ownershipToken: randomBase62(32),
      ownershipRequired: await isClaimedElsewhere({ ...parsed, projectId }),
      holds: false,
      dns: NEW_DNS,
      certificate: NO_CERTIFICATE,
    };
    const added = await domains.insert(domain);
    if (added === undefined)
      throw new ApiError('conflict', `The project already has the domain ${parsed.name}.`);
    return added;
  }

  return {
    async add(projectId, text) {
      return add(projectId, parse(text, 'name'));
    },
    async addPair(projectId, text) {
      const name = parse(text, 'name');
      const domain = await add(projectId, name);
      const counterpart = await add(projectId, parse(counterpartOf(name), 'name'));
      const { redirects = [] } = await projectOf(projectId);
      const redirect = { from: counterpart.name, to: domain.name, status: DEFAULT_REDIRECT_STATUS };
      await projects.setRedirects(projectId, withRedirect(redirects, redirect));
      return { domain, counterpart };
    },
    parseName: (text) => parse(text, 'domain'),
    get: domainOf,
    ofProject: (projectId) => domains.ofProject(projectId),
    async recordsOf(domain, project) {
      // The last check asked for it, perhaps because a subdomain leads here by its addresses.
      const isAskedFor = domain.problem?.code === 'ownership_txt_required';
      const isProofRequired = domain.holds
        ? domain.ownershipRequired
        : isAskedFor || (await isClaimedElsewhere(domain));
      return recordsToPublish(domain, {
        platformHost: siteHost(project.slug, platformHost),
        ...(isProofRequired && { ownershipToken: domain.ownershipToken }),
      });
    },
    alternativesOf: (domain) => addressRecords(domain, platformAddresses),
    primaryOf: ({ primaryDomain, slug }) => primaryDomain ?? siteHost(slug, platformHost),
    resume: (projectId) => domains.makeCertificatesDue(projectId, new Date(clock())),
    stateOf: (domain, project) => domainStateOf(domain, clock(), domainsEndAt(project, graceMs)),
    async verify(id) {
      const { projectId } = await domainOf(id);
      assertDomainsIncluded(await projectOf(projectId));
      return (await domains.requestVerification(id, new Date(clock()))) ?? domainNotFound(id);
    },
    async remove(id) {
      await domainOf(id);
      const removed = (await domains.remove(id)) ?? domainNotFound(id);
      await stopRoutingTo(removed, projects);
      return removed;
    },
    async setPrimary(projectId, domainId) {
      const domain = domainId === undefined ? undefined : await domainOf(domainId);
      if (domain !== undefined && domain.projectId !== projectId) return domainNotFound(domain.id);
      if (domain?.holds === false)
        throw new ApiError('precondition_failed', `${domain.unicode} is not verified yet. Verify it first.`);
      const { redirects = [] } = await projectOf(projectId);
      const redirect = redirects.find(({ from }) => from === domain?.name);
      if (domain !== undefined && redirect !== undefined)
        throw new ApiError(
          'precondition_failed',
          `${domain.unicode} redirects to ${redirect.to}, so it cannot be the primary domain. Remove the redirect first, or choose ${redirect.to}.`,
        );
      return (await projects.setPrimaryDomain(projectId, domain?.name)) ?? projectNotFound(projectId);
    },
    async setRedirect(projectId, { from, to, status = DEFAULT_REDIRECT_STATUS }) {
      const project = await projectOf(projectId);
      const [source, target] = [await nameOf(project, from, 'from'), await nameOf(project, to, 'to')];
      if (typeof target !== 'string' && !target.holds)
        throw new ApiError('precondition_failed', `${target.unicode} is not served yet. Verify it first.`);
      const redirect: Redirect = {
        from: asciiOf(source),
        to: asciiOf(target),
        status: checkRedirectStatus(status),
      };
      const redirects = withRedirect(project.redirects ?? [], redirect);
      return (await projects.setRedirects(projectId, redirects)) ?? projectNotFound(projectId);
    },
    async removeRedirect(projectId, from) {
      const project = await projectOf(projectId);
      const name = asciiOf(await nameOf(project, from, 'from'));
      const { redirects = [] } = project;
      const left = redirects.filter((redirect) => redirect.from !== name);
      if (left.length === redirects.length)
        throw new ApiError('not_found', `There is no redirect from ${name}.`);
      return (await projects.setRedirects(projectId, left)) ?? projectNotFound(projectId);
    },
  };
}

/**
 * An unverified domain that another project added since then puts an apex in doubt. The time is limited, because
 * otherwise anyone could block names.
 */
export function pendingSince(nowMs: number): Date {
  return new Date(nowMs - PENDING_MS);
}

const NEEDS_SITE = 'A domain needs a site to serve.';

/**
 * @param also what is missing besides the plan
 * @throws ApiError plan_required
 */
function assertDomainsIncluded({ plan }: Pick<Project, 'plan'>, also?: string): void {
  if (PLANS[plan].includesDomains) return;
  const needed = `Custom domains require a paid plan (${DOMAINS_FROM}). Upgrade the project.`;
  throw new ApiError('plan_required', also === undefined ? needed : `${needed} ${also}`);
}

/** @throws ApiError not_found, always */
export function domainNotFound(id: string): never {
  throw new ApiError('not_found', `There is no domain with the id ${id}.`);
}

function asciiOf(name: Domain | string): string {
  return typeof name === 'string' ? name : name.name;
}
