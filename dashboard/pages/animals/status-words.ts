import { PET_STATUSES, type PetStatus } from '../../../src/features/pets/pet.js';
import type { Choice } from '../../components/field.js';
import type { Tone } from '../../components/notice.js';

/** The words of shelters. The API's are older: an animal is reserved there when it is `pending`. */
export const STATUS_WORDS: Record<PetStatus, string> = {
  available: 'Available',
  pending: 'Reserved',
  sold: 'Adopted',
};

export const STATUS_TONES: Record<PetStatus, Tone> = { available: 'good', pending: 'warn', sold: 'neutral' };

/** With the API's word beside the word of shelters, once on each page: `Reserved (pending)`. */
export const STATUS_CHOICES: readonly Choice<PetStatus>[] = PET_STATUSES.map((status) => ({
  value: status,
  label: status === 'available' ? STATUS_WORDS[status] : `${STATUS_WORDS[status]} (${status})`,
}));

/** `1 animal`, `20 animals`. */
export const animals = (count: number): string =>
  count === 1 ? '1 animal' : `${count.toLocaleString('en-GB')} animals`;
