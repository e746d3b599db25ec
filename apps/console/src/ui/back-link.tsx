import { Link, type LinkProps } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import styles from './back-link.module.css';

/** Leads from one row to its list. */
export const BackLink = ({ to, children }: { to: LinkProps['to']; children: string }) => (
  <Link to={to} className={styles.back}>
    <ArrowLeft size={14} aria-hidden />
    {children}
  </Link>
);
