import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import styles from './select.module.css';

type SelectProps = ComponentProps<'select'> & {
  /** A field of a form, or a filter above a list. */
  readonly look: 'field' | 'filter';
  /** Whether it leaves something out of a list. */
  readonly on?: boolean;
};

/** The browser's own list of choices, in a frame like that of the other controls. */
export const Select = ({ look, on, className, ...select }: SelectProps) => (
  <span className={[styles.frame, className].filter(Boolean).join(' ')} data-look={look} data-on={on}>
    <select {...select} className={styles.select} />
    <ChevronDown size={14} aria-hidden />
  </span>
);
