import type { PageInfo, Pages } from '../api/use-pages.js';
import { Button } from './button.js';
import { formatCount } from './format-count.js';
import { Icon } from './icon.js';

export interface PagerProps {
  pages: Pages;
  pageInfo: PageInfo;
  what: string;
  /** The number of pages, if it is known. */
  count?: number | undefined;
}

/** Buttons to page through a list; nothing if one page holds the whole list. */
export function Pager({ pages, pageInfo, what, count }: PagerProps) {
  if (pages.number === 1 && !pageInfo.hasNextPage) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <Button isSmall isDisabled={pages.number === 1} onPress={pages.previous}>
        <Icon name="previous" /> Previous
      </Button>
      <span class="pager-number">
        Page {pages.number}
        {count !== undefined && ` of ${formatCount(count)}`}
      </span>
      <Button isSmall isDisabled={!pageInfo.hasNextPage} onPress={() => pages.next(pageInfo)}>
        Next <Icon name="next" />
      </Button>
    </nav>
  );
}
