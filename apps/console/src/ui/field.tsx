import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { Select } from './select.tsx';

export type FieldProps = {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value, and what to do. */
  readonly error?: string | undefined;
};
type With<Tag extends 'input' | 'textarea' | 'select'> = FieldProps & ComponentProps<Tag>;

/** What a control needs so that its label, hint and error belong to it. */
type Control = { id: string; className: string | undefined; 'aria-describedby': string | undefined };

type ShellProps = FieldProps & { readonly children: (control: Control & { 'aria-invalid'?: true }) => ReactNode };

/** A label, a control, and a hint or an error below it. */
export function Field({ label, hint, error, children }: ShellProps) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        className: styles.input,
        'aria-describedby': below ? `${id}-more` : undefined,
        ...(error && { 'aria-invalid': true }),
      })}
      {below && (
        <p id={`${id}-more`} className={error ? styles.error : styles.hint} role={error ? 'alert' : undefined}>
          {below}
        </p>
      )}
    </div>
  );
}

export const TextField = ({ label, hint, error, ...input }: With<'input'>) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <input type="text" autoComplete="off" {...input} {...control} />}
  </Field>
);

/** A text of several lines. It grows with its content. */
export const TextArea = ({ label, hint, error, ...input }: With<'textarea'>) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <textarea rows={3} {...input} {...control} />}
  </Field>
);

export type Choice = readonly [value: string, text: string];

export const SelectField = ({
  label,
  hint,
  error,
  choices,
  ...select
}: With<'select'> & { choices: readonly Choice[] }) => (
  <Field label={label} hint={hint} error={error}>
    {({ className: _, ...control }) => (
      <Select look="field" {...select} {...control}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    )}
  </Field>
);

export const CheckField = ({ label, hint, ...input }: FieldProps & ComponentProps<'input'>) => (
  <label className={styles.check}>
    <input type="checkbox" {...input} />
    <span>
      {label}
      {hint && <span className={styles.hint}>{hint}</span>}
    </span>
  </label>
);
