import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from './dialog.tsx';
import { SelectField } from './field.tsx';
import { DialogForm } from './form.tsx';

const overlaps: readonly (readonly [hours: number, text: () => string])[] = [
  [0, m.overlap_none],
  [1, m.overlap_hour],
  [24, m.overlap_day],
  [168, m.overlap_week],
];

type Words = { readonly title: string; readonly about: string };

type RotateDialogProps<Made> = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly asks: Words;
  readonly shows: Words;
  /** What goes on working for the time that is chosen. */
  readonly label: string;
  readonly action: string;
  readonly rotate: (overlapHours: number) => Promise<Made>;
  /** Shows the new secret. */
  readonly children: (made: Made) => ReactNode;
};

/** Asks for how long an old secret works beside the new one, makes that, and shows it once. */
export function RotateDialog<Made>(props: RotateDialogProps<Made>) {
  const { open, onClose, asks, shows, label, action, rotate, children } = props;
  const overlap = useRef<HTMLSelectElement>(null);
  const { data: made, mutate, reset, isPending, error } = useMutation({ mutationFn: rotate });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isPending) mutate(Number(overlap.current?.value));
  };
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={reset}
      {...(made ? shows : asks)}
      initialFocus={overlap}
    >
      {made ? (
        children(made)
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={action}
          busy={isPending}
          bad={error ? wordsOf(error) : undefined}
        >
          <SelectField
            ref={overlap}
            label={label}
            defaultValue={24}
            choices={overlaps.map(([hours, text]) => [String(hours), text()] as const)}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}
