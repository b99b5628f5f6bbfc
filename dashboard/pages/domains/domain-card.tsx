import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { ExternalLink } from '../../components/external-link.js';
import { FailureNotice } from '../../components/form.js';
import { Menu } from '../../components/menu.js';
import { Badge } from '../../components/notice.js';
import { DateAndTime } from '../../components/time.js';
import { useMutation } from '../../api/use-mutation.js';
import { VERIFY_DOMAIN, type Domain } from './domain-documents.js';
import { STATUS_WORDS, stepsOf } from './domain-progress.js';
import { Obstacles } from './obstacles.js';
import { ProblemNotice } from './problem-notice.js';
import { Records } from './records.js';
import { Stepper } from './stepper.js';

export interface DomainCardProps {
  domain: Domain;
  /** Just added: the heading takes the focus, because adding its records is the next step. */
  takesFocus: boolean;
  /** Found when it was added: why it will not be served, a sentence each. */
  obstacles: readonly string[];
  /** The host that is primary although this domain could be; undefined if there is no reason to offer it. */
  primaryInstead: string | undefined;
  onChanged: () => Promise<void>;
  onSetPrimary: () => void;
  onRedirect: () => void;
  onRemove: () => void;
}

export function DomainCard(props: DomainCardProps) {
  const { domain, takesFocus, obstacles, onChanged, onSetPrimary, onRedirect, onRemove, primaryInstead } =
    props;
  const { unicodeName, status, problem, verifiedAt, servedUntil, isPrimary } = domain;
  const verify = useMutation(VERIFY_DOMAIN);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);

  async function startVerification() {
    if ((await verify.run({ input: { id: domain.id } })) !== undefined) await onChanged();
  }

  const { word, tone } = STATUS_WORDS[status];
  const isVerifying = status === 'verifying' || verify.isRunning;
  const verifyWord = verifiedAt === null ? 'Verify' : 'Re-verify';
  const isServed = status === 'active';
  return (
    <article class="card domain">
      <header class="domain-head">
        <h2 ref={heading} tabIndex={-1} class="domain-name">
          {isServed ? (
            <ExternalLink href={`https://${domain.name}/`}>{unicodeName}</ExternalLink>
          ) : (
            unicodeName
          )}
        </h2>
        <span class="row" role="status" aria-label={`Status of ${unicodeName}`}>
          <Badge tone={tone}>{word}</Badge>
          {isPrimary && <Badge tone="info">Primary</Badge>}
        </span>
        <div class="card-actions domain-actions">
          {!isServed && (
            <Button
              kind="primary"
              isBusy={isVerifying}
              label={`${isVerifying ? 'Verifying…' : verifyWord} ${unicodeName}`}
              onPress={() => void startVerification()}
            >
              {isVerifying ? 'Verifying…' : verifyWord}
            </Button>
          )}
          <Menu
            label={`Actions for ${unicodeName}`}
            items={[
              ...(isPrimary ? [] : [{ label: 'Set as primary', onChoose: onSetPrimary }]),
              ...(isServed ? [{ label: 'Re-verify', onChoose: () => void startVerification() }] : []),
              { label: 'Redirect to another domain', onChoose: onRedirect },
              { label: 'Remove', onChoose: onRemove, isDangerous: true },
            ]}
          />
        </div>
      </header>
      {verify.failure !== undefined && <FailureNotice failure={verify.failure} />}
      {!isServed && <Stepper steps={stepsOf(domain)} />}
      {problem !== null && <ProblemNotice problem={problem} servedUntil={servedUntil} />}
      {status === 'pending' && <Obstacles obstacles={obstacles} />}
      <WhatNext domain={domain} />
      {primaryInstead !== undefined && (
        <div class="row">
          <p>
            The primary domain is still <strong>{primaryInstead}</strong>. Search engines list the primary
            domain.
          </p>
          <Button isSmall label={`Set as primary: ${unicodeName}`} onPress={onSetPrimary}>
            Set as primary
          </Button>
        </div>
      )}
      {isServed || status === 'issuing' ? (
        <details class="disclosure">
          <summary>DNS records</summary>
          <Records domain={domain} />
        </details>
      ) : (
        <Records domain={domain} />
      )}
    </article>
  );
}

function WhatNext({ domain: { status, certificateExpiresAt } }: { domain: Domain }) {
  switch (status) {
    case 'pending':
      return (
        <p>
          Add the records below, then choose <strong>Verify</strong>. After verification succeeds, the gateway
          issues an SSL certificate automatically if a certificate authority is set up, usually within a
          couple of minutes.
        </p>
      );
    case 'verifying':
      return <p>The gateway is checking the DNS records. This page updates automatically.</p>;
    case 'issuing':
      return (
        <p>
          Verified. If a certificate authority is set up, the SSL certificate is issued automatically, usually
          within a couple of minutes. You don’t need to install or renew anything. Until then, browsers warn
          about a private connection.
        </p>
      );
    case 'active':
      return certificateExpiresAt === null ? null : (
        <p class="quiet">
          Served over HTTPS. The SSL certificate is valid until <DateAndTime at={certificateExpiresAt} /> and
          is renewed automatically.
        </p>
      );
    case 'suspended':
    case 'action_required':
      return null;
  }
}
