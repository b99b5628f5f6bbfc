import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Absence } from '../../features/publishing/sites/live-domains.js';
import { preferredType } from '../../http/answers/accepts.js';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { endWith } from '../../http/answers/end-with.js';
import { PAGE_COLOURS, PAW } from '../../http/answers/page-look.js';
import { pathOf } from '../../http/steps/request-context.js';

/** A page for visitors, where a site has none of its own. All values are text, without markup. */
export interface VisitorPage {
  heading: string;
  text: string;
  /** For the owner of the site. */
  advice?: string | undefined;
  /** Whether to link the site's home page. */
  linksHome?: boolean;
}

/** At hosts where no site is served. None of the pages names another host, a project or a plan. */
export const VISITOR_PAGES: Record<Absence, VisitorPage> = {
  unknown: {
    heading: 'There is no site at this address',
    text: 'Check the address for typing errors.',
    advice:
      'Is this your domain? Add it to your project and verify it. The dashboard shows the DNS records that it needs.',
  },
  removed: {
    heading: 'This site is no longer here',
    text: 'Its owner has removed the site or its domain.',
    advice: 'Is this your domain? Add it to your project again in the dashboard.',
  },
  suspended: {
    heading: 'This site is suspended',
    text: 'Its owner can bring it back.',
    advice: 'Is this your site? The dashboard says why it is suspended and what to do.',
  },
  unpublished: {
    heading: 'Nothing is published here yet',
    text: 'Come back later.',
    advice: 'Is this your site? Deploy your project, and this page becomes your home page.',
  },
};

export const PAGE_NOT_FOUND: VisitorPage = {
  heading: 'Page not found',
  text: 'There is no page at this address.',
  linksHome: true,
};

/** At and below these paths a response is for programs, whatever they accept. */
const API_PATH = /^\/(?:v1|graphql)(?:\/|$)/;

/** Whether the request comes from a person with a browser. Programs get the Error object. */
export function isForVisitor(req: Request): boolean {
  return !isForPrograms(req) && preferredType(req, ['application/json', 'text/html']) === 'text/html';
}

export function isForPrograms(req: Request): boolean {
  return API_PATH.test(pathOf(req));
}

/**
 * Sends the page. It contains no text of the request, and works without any other file, because no other path of the
 * host is served. No cache may keep it: a deploy or an upgrade replaces it with the site.
 */
export function sendVisitorPage(res: Response, status: number, page: VisitorPage): void {
  res.set(POLICY);
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Vary', 'Accept');
  res.status(status);
  endWith(res, htmlOf(page));
}

const STYLE = `
${PAGE_COLOURS}
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}

main {
  max-width: 34rem;
  margin: 0 auto;
  padding: 18vh 1.25rem 4rem;
}

h1 {
  margin: 1rem 0 0.5rem;
  font-size: 1.75rem;
  font-weight: 620;
  line-height: 1.25;
  letter-spacing: -0.02em;
}

p {
  margin: 0 0 1rem;
}

.advice {
  padding-top: 1rem;
  border-top: 1px solid var(--line);
  color: var(--quiet);
  font-size: 0.9375rem;
}

a {
  color: var(--accent);
}

a:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
  border-radius: 0.25rem;
}
`;

const POLICY = contentSecurityPolicy({
  'default-src': "'none'",
  'img-src': 'data:',
  'style-src': `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
});
const PAW_URL = `data:image/svg+xml;base64,${Buffer.from(PAW).toString('base64')}`;

function htmlOf({ heading, text, advice, linksHome = false }: VisitorPage): string {
  const below = [
    ...(linksHome ? ['<p><a href="/">Go to the home page</a></p>'] : []),
    ...(advice === undefined ? [] : [`<p class="advice">${advice}</p>`]),
  ].join('\n      ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${heading}</title>
    <link rel="icon" href="${PAW_URL}" />
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <img src="${PAW_URL}" alt="" width="48" height="48" />
      <h1>${heading}</h1>
      <p>${text}</p>
      ${below}
    </main>
  </body>
</html>
`;
}
