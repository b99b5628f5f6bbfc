import { randomBase62 } from '../../lib/random-id.js';
import type { ProjectsStore } from './projects-store.js';
import { slugsFor } from './slug.js';

/** Claims the first slug for this name that was never assigned before. The project keeps it permanently. */
export async function claimSlug(
  claim: ProjectsStore['claimSlug'],
  { id, name }: { id: string; name: string },
  at: Date,
): Promise<string> {
  for (const slug of slugsFor(name, (length) => randomBase62(length).toLowerCase()))
    if (await claim(slug, id, at)) return slug;
  throw new Error('there is no end to slugs');
}
