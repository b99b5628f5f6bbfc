import { ButtonLink } from '../components/button.js';
import { Empty } from '../components/states.js';
import { addressOf } from './addresses.js';
import { Page } from './page.js';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        title="No page has this address"
        action={<ButtonLink href={addressOf.home}>Go to the home page</ButtonLink>}
      >
        Check the address for typing errors, or start from the home page.
      </Empty>
    </Page>
  );
}
