import type { ComponentProps } from 'react';
import styles from './button.module.css';

type ButtonProps = ComponentProps<'button'> & { kind?: 'main' | 'plain' | 'bare' | 'danger'; busy?: boolean };

/** A busy button keeps its width and its place in the tab order, and does nothing. */
export function Button({ kind = 'plain', busy = false, className, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      aria-disabled={busy || undefined}
      data-kind={kind}
      className={[styles.button, className].filter(Boolean).join(' ')}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    />
  );
}
