import type { FormEvent, RefObject } from 'react';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { SelectField } from './field.tsx';
import { DialogForm } from './form.tsx';

const overlaps: readonly (readonly [hours: number, text: () => string])[] = [
  [0, m.overlap_none],
  [1, m.overlap_hour],
  [24, m.overlap_day],
  [168, m.overlap_week],
];

type OverlapFormProps = {
  /** What goes on working for the time that is chosen. */
  readonly label: string;
  /** The field, to which the dialog gives the focus. */
  readonly fieldRef: RefObject<HTMLSelectElement | null>;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (hours: number) => void;
  readonly onClose: () => void;
};

/** Asks for how long an old secret works beside the new one. */
export function OverlapForm({ label, fieldRef, action, busy, error, onSubmit, onClose }: OverlapFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!busy) onSubmit(Number(fieldRef.current?.value));
  };
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={action}
      busy={busy}
      bad={error ? wordsOf(error) : undefined}
    >
      <SelectField
        ref={fieldRef}
        label={label}
        defaultValue={24}
        choices={overlaps.map(([hours, text]) => [String(hours), text()] as const)}
      />
    </DialogForm>
  );
}
