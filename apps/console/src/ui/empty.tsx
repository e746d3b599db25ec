import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './empty.module.css';

type EmptyProps = {
  readonly icon: LucideIcon;
  readonly title: string;
  /** What to do next. */
  readonly text: string;
  /** The button that does it. */
  readonly children?: ReactNode;
};

/** Stands in the middle of a list or a pane that has nothing to show. */
export const Empty = ({ icon: Icon, title, text, children }: EmptyProps) => (
  <div className={styles.empty}>
    <Icon size={22} strokeWidth={1.5} aria-hidden />
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
);
