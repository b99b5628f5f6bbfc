import { ButtonLink } from '../components/button.js';
import { Empty } from '../components/states.js';
import { addressOf } from './addresses.js';
import { Page } from './page.js';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        title="There is nothing at this address"
        action={<ButtonLink href={addressOf.home}>Go to the start</ButtonLink>}
      >
        It may have been moved, or the address has a letter too few.
      </Empty>
    </Page>
  );
}
