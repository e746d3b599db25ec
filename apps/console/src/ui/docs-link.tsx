import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './docs-link.module.css';

/** Opens a page of the documentation in a tab beside. */
export const DocsLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <a href={to} target="_blank" rel="noreferrer" className={styles.link}>
    {children}
    <ArrowUpRight size={14} aria-hidden />
  </a>
);
