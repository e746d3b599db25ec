import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

type PageProps = {
  readonly title: string;
  readonly about: string;
  /** The way back, above the title. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A screen: its title, what it is for, what can be done here, and its content. */
export function Page({ title, about, above, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Mostrador`;
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.words}>
          {above}
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.about}>{about}</p>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** What stands where a list would be: nothing yet, or a failure. */
export const Notice = ({ title, text, children }: { title: string; text: string; children?: ReactNode }) => (
  <div className={styles.notice}>
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
);

/** A failure inside a form or a dialog. */
export const Bad = ({ children }: { children: ReactNode }) => (
  <p role="alert" className={styles.bad}>
    {children}
  </p>
);
