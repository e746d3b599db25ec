import { type ComponentProps, useId } from 'react';
import styles from './credential-field.module.css';

type CredentialFieldProps = ComponentProps<'input'> & { readonly label: string; readonly hint?: string };

/** A field that a program for passwords knows by its `autoComplete`. */
export function CredentialField({ label, hint, ...input }: CredentialFieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <input {...input} id={id} className={styles.input} aria-describedby={hint && `${id}-hint`} />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
