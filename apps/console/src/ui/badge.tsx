import type { ReactNode } from 'react';
import styles from './badge.module.css';

type BadgeProps = {
  /** `api` is for messages of the API only. Default: no meaning. */
  readonly kind?: 'good' | 'warn' | 'bad' | 'api' | undefined;
  readonly icon?: ReactNode;
  readonly title?: string | undefined;
  readonly children: ReactNode;
};

/** A state in a word or two. The colour is never the only sign. */
export const Badge = ({ kind, icon, title, children }: BadgeProps) => (
  <span className={styles.badge} data-kind={kind} title={title}>
    {icon}
    {children}
  </span>
);

/** How many there are of something, shown up to 99. `label` says of what, for screen readers. */
export const Count = ({ count, label }: { count: number; label: string }) => (
  <span className={styles.count}>
    <span aria-hidden>{count > 99 ? '99+' : count}</span>
    <span className={styles.heard}>{label}</span>
  </span>
);
