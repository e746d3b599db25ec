import type { ReactNode } from 'react';
import styles from './two-lines.module.css';

/** The name of a row, with more about it below. */
export const TwoLines = ({ children, below }: { children: ReactNode; below: ReactNode }) => (
  <div className={styles.two}>
    <span className={styles.first}>{children}</span>
    {below && <span className={styles.second}>{below}</span>}
  </div>
);
