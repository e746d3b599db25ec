import { type ReactNode, useId } from 'react';
import styles from './settings.module.css';

type SectionProps = { readonly title: string; readonly about: string; readonly children: ReactNode };

/** A part of the settings: what it is about, and beside it its fields. */
export function Section({ title, about, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        <p className={styles.soft}>{about}</p>
      </div>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
