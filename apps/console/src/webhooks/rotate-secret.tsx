import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { SecretOnce } from './secret-once.tsx';

const overlaps: readonly (readonly [string, () => string])[] = [
  ['0', m.webhooks_overlap_none],
  ['1', m.webhooks_overlap_hour],
  ['24', m.webhooks_overlap_day],
  ['168', m.webhooks_overlap_week],
];

type RotateSecretProps = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Makes a new secret, and shows it once. */
export function RotateSecret({ endpoint: { id }, open, onClose }: RotateSecretProps) {
  const overlap = useRef<HTMLSelectElement>(null);
  const rotate = useMutation({
    mutationFn: (overlap_hours: number) =>
      dataOf(
        platform.POST('/webhooks/endpoints/{endpointId}/secret/rotate', {
          params: { path: { endpointId: id } },
          body: { overlap_hours },
        }),
      ),
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
      title={made ? m.webhooks_secret_title() : m.webhooks_rotate_title()}
      about={made ? m.webhooks_secret_text() : m.webhooks_rotate_text()}
      initialFocus={overlap}
    >
      {made ? (
        <SecretOnce secret={made.secret} publicKey={made.public_key} onClose={onClose} />
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={m.webhooks_rotate()}
          busy={rotate.isPending}
          bad={rotate.error ? wordsOf(rotate.error) : undefined}
        >
          <SelectField
            label={m.webhooks_overlap()}
            ref={overlap}
            name="overlap"
            defaultValue="24"
            choices={overlaps.map(([value, text]) => [value, text()] as const)}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}
