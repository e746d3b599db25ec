import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { type ApiKey, dataOf, platform } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { OverlapForm } from '../ui/overlap-form.tsx';
import { SecretShown } from './secret-shown.tsx';

/** Makes a key that replaces another, and shows it once. */
export function RotateKey({ apiKey, open, onClose }: { apiKey: ApiKey; open: boolean; onClose: () => void }) {
  const overlap = useRef<HTMLSelectElement>(null);
  const rotate = useMutation({
    mutationFn: (hours: number) =>
      dataOf(
        platform.POST('/keys/{keyId}/rotate', {
          params: { path: { keyId: apiKey.id } },
          body: { overlap_seconds: hours * 3_600 },
        }),
      ),
    onSuccess: () => queries.invalidateQueries(keysQuery),
  });
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
        <OverlapForm
          label={m.key_overlap()}
          fieldRef={overlap}
          action={m.key_rotate()}
          busy={rotate.isPending}
          error={rotate.error}
          onSubmit={rotate.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
