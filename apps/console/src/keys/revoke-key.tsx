import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { wordsOf } from '../api/failure.ts';
import { type ApiKey, dataOf, platform } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { Bad } from '../ui/page.tsx';
import { relativeTime } from '../ui/time.ts';
import { say } from '../ui/toasts.tsx';

/** Asks before it revokes, because that cannot be undone. The focus is on the way out. */
export function RevokeKey({ apiKey, open, onClose }: { apiKey: ApiKey; open: boolean; onClose: () => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const revoke = useMutation({
    mutationFn: () => dataOf(platform.DELETE('/keys/{keyId}', { params: { path: { keyId: apiKey.id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries(keysQuery);
      say(m.key_was_revoked({ name: apiKey.name }));
      onClose();
    },
  });
  const used = apiKey.last_used_at;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={revoke.reset}
      title={m.key_revoke_title({ name: apiKey.name })}
      about={m.key_revoke_text()}
      initialFocus={cancel}
    >
      {(used || revoke.error) && (
        <DialogBody>
          {used && <p>{m.key_revoke_in_use({ when: relativeTime(used, Date.now()) })}</p>}
          {revoke.error && <Bad>{wordsOf(revoke.error)}</Bad>}
        </DialogBody>
      )}
      <DialogFoot>
        <Button ref={cancel} onClick={onClose}>
          {m.cancel()}
        </Button>
        <Button kind="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
          {m.key_revoke()}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
