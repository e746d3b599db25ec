import { Link } from '@tanstack/react-router';
import { m } from '../paraglide/messages.js';
import styles from './page.module.css';

export const NotFound = () => (
  <main className={styles.centre}>
    <h1 className={styles.title}>{m.not_found_title()}</h1>
    <Link to="/">{m.not_found_back()}</Link>
  </main>
);
