import { Check, Copy } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './copy.module.css';

type CopyBoxProps = {
  readonly label: string;
  /** What the button is called: several boxes may stand on one screen. */
  readonly action: string;
  readonly text: string;
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
};

/** A text to copy. Without access to the clipboard, a click selects all of it. */
export function CopyBox({ label, action, text, buttonRef }: CopyBoxProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className={styles.box}>
      <div className={styles.head}>
        <span className={styles.label}>{label}</span>
        <Button ref={buttonRef} onClick={() => void copy().catch(() => setCopied(false))}>
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          {copied ? m.copied() : action}
        </Button>
      </div>
      <code className={styles.code}>{text}</code>
    </div>
  );
}
