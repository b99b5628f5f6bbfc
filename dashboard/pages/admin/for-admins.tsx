import type { FunctionComponent } from 'preact';
import { useSession } from '../../api/session-context.js';
import { ButtonLink } from '../../components/button.js';
import { Name } from '../../components/name.js';
import { Empty } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { Page } from '../../shell/page.js';

/** Returns a page for admins only. Other roles see a notice, and the page sends no requests. */
export function forAdmins(title: string, Content: FunctionComponent): FunctionComponent {
  return function AdminPage() {
    const { session } = useSession();
    if (session.role === 'admin') return <Content />;
    return (
      <Page title={title}>
        <Empty
          title="Only admins can open this page"
          action={<ButtonLink href={addressOf.home}>Go to your project</ButtonLink>}
        >
          You are signed in with the {session.role} key <Name>{session.keyName}</Name>, which can see only its
          own project. To see all projects, sign in with an admin key.
        </Empty>
      </Page>
    );
  };
}
