import { ButtonLink } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { Empty } from '../components/states.js';
import { addressOf } from './addresses.js';

export function NoSuchProject({ id }: { id: string }) {
  return (
    <Empty
      title="Project not found"
      action={<ButtonLink href={addressOf.home}>Go to the home page</ButtonLink>}
    >
      No project has the ID {id}, or the key that you signed in with can’t see it.
    </Empty>
  );
}

/** Shown on pages about sites if the gateway publishes none. */
export function PublishingOff() {
  return (
    <Notice tone="info" title="Publishing is turned off on this gateway">
      The operator can turn it on: set <code>PLATFORM_HOST</code> and <code>PUBLIC_URL</code>, then restart
      the gateway.
    </Notice>
  );
}
