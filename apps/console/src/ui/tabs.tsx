import { Link, type LinkProps } from '@tanstack/react-router';
import styles from './tabs.module.css';

export type Tab = Pick<LinkProps, 'to' | 'params'> & { readonly label: string };

/** The parts of one screen. Each has an address of its own, so that it can be kept and sent. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav className={styles.tabs} aria-label={label}>
    {tabs.map(({ label: name, ...to }) => (
      <Link key={name} {...to} className={styles.tab} activeOptions={{ exact: true, includeSearch: false }}>
        {name}
      </Link>
    ))}
  </nav>
);
