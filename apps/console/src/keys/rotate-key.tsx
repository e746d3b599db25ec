import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { wordsOf } from '../api/failure.ts';
import { type ApiKey, dataOf, platform } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { SecretShown } from './secret-shown.tsx';

const overlaps: readonly (readonly [seconds: string, text: () => string])[] = [
  ['0', m.key_overlap_none],
  ['3600', m.key_overlap_hour],
  ['86400', m.key_overlap_day],
  ['604800', m.key_overlap_week],
];

/** Makes a key that replaces another, and shows it once. */
export function RotateKey({ apiKey, open, onClose }: { apiKey: ApiKey; open: boolean; onClose: () => void }) {
  const overlap = useRef<HTMLSelectElement>(null);
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      dataOf(
        platform.POST('/keys/{keyId}/rotate', { params: { path: { keyId: apiKey.id } }, body: { overlap_seconds } }),
      ),
    onSuccess: () => queries.invalidateQueries(keysQuery),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!rotate.isPending) rotate.mutate(Number(overlap.current?.value));
  };
  const made = rotate.data;
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={rotate.reset}
      title={made ? m.key_secret_title({ name: made.key.name }) : m.key_rotate_title({ name: apiKey.name })}
      about={made ? m.key_secret_text() : m.key_rotate_text()}
      initialFocus={overlap}
    >
      {made ? (
        <SecretShown apiKey={made.api_key} scopes={made.key.scopes} onClose={onClose} />
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={m.key_rotate()}
          busy={rotate.isPending}
          bad={rotate.error ? wordsOf(rotate.error) : undefined}
        >
          <SelectField
            ref={overlap}
            label={m.key_overlap()}
            defaultValue={86_400}
            choices={overlaps.map(([seconds, text]) => [String(seconds), text()] as const)}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}
