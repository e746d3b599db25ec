import { Search, X } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './search-box.module.css';

type SearchBoxProps = {
  readonly label: string;
  /** What is searched for now, mostly from the address. */
  readonly value: string;
  /** Called 250 ms after the last key, and at once with Enter or when it is cleared. */
  readonly onSearch: (text: string) => void;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** For questions, which are longer than names. */
  readonly wide?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
};

const pauseMs = 250;

/** A field that searches while the person types. Escape clears it. */
export function SearchBox({
  label,
  value,
  onSearch,
  placeholder = label,
  maxLength = 200,
  wide = false,
  ref,
}: SearchBoxProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => input.current as HTMLInputElement);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What this box has searched for itself: another value comes from outside, such as the browser's back button.
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (next: string) => {
    clearTimeout(timer.current);
    const trimmed = next.trim();
    if (trimmed === sent.current) return;
    sent.current = trimmed;
    onSearch(trimmed);
  };
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(search, pauseMs, next);
  };
  const clear = () => {
    setText('');
    search('');
    input.current?.focus();
  };
  return (
    <search className={styles.box} data-wide={wide}>
      <Search size={14} aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
        value={text}
        className={styles.input}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search(text);
          if (event.key !== 'Escape' || text === '') return;
          event.stopPropagation();
          clear();
        }}
      />
      {text !== '' && (
        <Button kind="bare" className={styles.clear} aria-label={m.ui_clear_search()} onClick={clear}>
          <X size={14} aria-hidden />
        </Button>
      )}
    </search>
  );
}
