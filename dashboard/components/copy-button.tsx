import { useState } from 'preact/hooks';
import { useAnnounce } from './announcer.js';
import { Icon } from './icon.js';

export interface CopyButtonProps {
  value: string;
  /** Names the value in the announcement: "CNAME value". */
  what: string;
  /** Shows the word Copy beside the icon. */
  hasWord?: boolean;
}

export function CopyButton({ value, what, hasWord = false }: CopyButtonProps) {
  const announce = useAnnounce();
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === value;
  const word = isCopied ? 'Copied' : 'Copy';

  async function copy() {
    const isDone = await writeToClipboard(value);
    if (isDone) setCopied(value);
    announce(
      isDone ? `Copied: ${what}` : `The browser blocked copying. Select the ${what} and copy it yourself.`,
    );
  }

  return (
    <button
      type="button"
      class="button button-quiet button-small copy"
      aria-label={`${hasWord ? word : 'Copy'} ${what}`}
      onClick={() => void copy()}
      onBlur={() => setCopied(undefined)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {hasWord && <span>{word}</span>}
    </button>
  );
}

/** Resolves to false if the browser blocks it. `navigator.clipboard` exists only over HTTPS and on localhost. */
export async function writeToClipboard(value: string): Promise<boolean> {
  const { clipboard } = navigator as Partial<Pick<Navigator, 'clipboard'>>;
  return (
    (await clipboard?.writeText(value).then(
      () => true,
      () => false,
    )) ?? false
  );
}
