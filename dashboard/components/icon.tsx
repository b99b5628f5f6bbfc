import type icons from './icons.json';

/** The build writes their paths into index.html: 16 by 16, with one stroke in the colour of the surrounding text. */
export type IconName = keyof typeof icons;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} width="16" height="16" aria-hidden="true">
      <use href={`#icon-${name}`} />
    </svg>
  );
}
