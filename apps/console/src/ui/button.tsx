import type { ComponentProps } from 'react';
import styles from './button.module.css';

type Kind = 'main' | 'plain' | 'bare' | 'danger';
type ButtonProps = ComponentProps<'button'> & { kind?: Kind; busy?: boolean };

/** For a link that looks like a button. */
export const buttonLook = (kind: Kind) => ({ className: styles.button, 'data-kind': kind });

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
