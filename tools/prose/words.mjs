/** Phrases that no text of this repository uses, each with what to write instead. */
export const FORBIDDEN = [
  [/\banew\b/gi, 'again'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\bwhoever\b/gi, 'the actor: the client, the admin'],
  [/\breckon(?:s|ed|ing)?\b/gi, 'calculate'],
  [/\blaps(?:e|es|ed|ing)\b/gi, 'expire'],
  [/\bthereby\b/gi, 'two sentences'],
  [/\b(?:is|are|was|were) to (?:be|do|go|have|last|make|see|stay|take)\b/gi, 'must or should'],
  [/\bwhat is due\b/gi, 'the name of the job'],
  [/\bat its place\b/gi, 'in its place'],
  [/\bhow far (?:it|they) (?:has|have) got\b/gi, 'progress or status'],
  [/\bhow (?:it|they|[a-z]+ [a-z]+) stands?\b/gi, 'status'],
  [/\btold\b/gi, 'notify, report or say'],
  [/\b(?:a )?time of grace\b/gi, 'grace period'],
  [/\btaken back\b/gi, 'undo'],
];

/**
 * The options of write-good. Off: passives, often the shortest way to say what happens to a key; adverbs, which can be
 * exact; "so" and "there is" at the beginning of a sentence.
 */
export const STYLE = { passive: false, adverb: false, so: false, thereIs: false, eprime: false };

/** Phrases that write-good reports and that stay: they have a technical meaning, or are exact. */
export const EXACT = new Set([
  'additional',
  'all of',
  'few',
  'however',
  'implement',
  'in addition',
  'in between',
  'it is',
  'it was',
  'majority of',
  'many',
  'maximum',
  'minimum',
  'mostly',
  'multiple',
  'objective',
  'outside of',
  'overall',
  'point in time',
  'purchase',
  'several',
  'terminate',
  'therefore',
  'type of',
  'typeof',
  'validate',
  'whether or not',
]);
