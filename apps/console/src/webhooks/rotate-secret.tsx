import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { OverlapForm } from '../ui/overlap-form.tsx';
import { SecretOnce } from './secret-once.tsx';

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
        <OverlapForm
          label={m.webhooks_overlap()}
          fieldRef={overlap}
          action={m.webhooks_rotate()}
          busy={rotate.isPending}
          error={rotate.error}
          onSubmit={rotate.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
