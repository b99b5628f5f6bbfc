import type { PageInfo, Pages } from '../api/use-pages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

/** Buttons to page through a list; nothing if one page holds the whole list. */
export function Pager({ pages, pageInfo, what }: { pages: Pages; pageInfo: PageInfo; what: string }) {
  if (pages.number === 1 && !pageInfo.hasNextPage) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <Button isSmall isDisabled={pages.number === 1} onPress={pages.previous}>
        <Icon name="previous" /> Previous
      </Button>
      <span class="pager-number">Page {pages.number}</span>
      <Button isSmall isDisabled={!pageInfo.hasNextPage} onPress={() => pages.next(pageInfo)}>
        Next <Icon name="next" />
      </Button>
    </nav>
  );
}
