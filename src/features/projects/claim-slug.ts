import { randomBase62 } from '../../lib/random-id.js';
import type { ProjectsStore } from './projects-store.js';
import { slugsFor } from './slug.js';

/** The first slug for a project of this name that nobody ever had; from then on it is the project's. */
export async function claimSlug(
  claim: ProjectsStore['claimSlug'],
  { id, name }: { id: string; name: string },
  at: Date,
): Promise<string> {
  for (const slug of slugsFor(name, (length) => randomBase62(length).toLowerCase()))
    if (await claim(slug, id, at)) return slug;
  throw new Error('there is no end to slugs');
}
