import { ButtonLink } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { Empty } from '../components/states.js';
import { addressOf } from './addresses.js';

export function NoSuchProject({ id }: { id: string }) {
  return (
    <Empty
      title="There is no such project"
      action={<ButtonLink href={addressOf.home}>Go to the start</ButtonLink>}
    >
      None with the id {id}, or the key that is signed in may not see it.
    </Empty>
  );
}

/** Shown on pages about sites if the gateway publishes none. */
export function PublishingOff() {
  return (
    <Notice tone="info" title="Publishing is off on this gateway">
      Projects have sites and domains once its operator sets <code>PLATFORM_HOST</code>, and{' '}
      <code>PUBLIC_URL</code> with it, and starts it again.
    </Notice>
  );
}
