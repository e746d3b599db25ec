import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** Names and values, one below the other. What is null is left out. */
export const Facts = ({ facts }: { facts: readonly (Fact | null | false)[] }) => (
  <dl className={styles.facts}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]} className={styles.fact}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

/** An id or a key with a button that copies it. */
export function CopyText({ text, action }: { text: string; action: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <span className={styles.copy}>
      <code>{text}</code>
      <Button
        kind="bare"
        className={styles.button}
        aria-label={copied ? m.copied() : action}
        title={copied ? m.copied() : action}
        onClick={() => void copy().catch(() => setCopied(false))}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </Button>
    </span>
  );
}
