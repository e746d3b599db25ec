import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

type ToolbarProps = {
  /** What stands at the far side. */
  readonly end?: ReactNode;
  readonly children?: ReactNode;
};

/** Above a list: what is searched for, what is shown, and what can be done with it. */
export const Toolbar = ({ end, children }: ToolbarProps) => (
  <div className={styles.toolbar}>
    {children}
    {end && <div className={styles.end}>{end}</div>}
  </div>
);
