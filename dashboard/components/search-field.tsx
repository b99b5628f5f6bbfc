import { useEffect, useRef, useState } from 'preact/hooks';
import { Field, type FieldProps } from './field.js';

export interface SearchFieldProps extends Pick<FieldProps, 'label' | 'name' | 'placeholder' | 'error'> {
  /** The current search text. */
  value: string;
  /** Called when the user has stopped typing for PAUSE_MS. */
  onSearch: (text: string) => void;
}

const PAUSE_MS = 250;

export function SearchField({ value, onSearch, ...field }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // The value may change from elsewhere: by the browser's back button, or when all filters are cleared.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onSearch(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onSearch]);
  return <Field {...field} type="search" value={text} onChange={setText} />;
}
