import { type ApiKey, dataOf, platform } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Confirm } from '../ui/confirm.tsx';
import { relativeTime } from '../ui/time.ts';
import { say } from '../ui/toasts.tsx';

/** Asks before it revokes, because that cannot be undone. */
export function RevokeKey({ apiKey, open, onClose }: { apiKey: ApiKey; open: boolean; onClose: () => void }) {
  const { id, name, last_used_at: used } = apiKey;
  const revoke = async () => {
    await dataOf(platform.DELETE('/keys/{keyId}', { params: { path: { keyId: id } } }));
    await queries.invalidateQueries(keysQuery);
    say(m.key_was_revoked({ name }));
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={m.key_revoke_title({ name })}
      about={m.key_revoke_text()}
      action={m.key_revoke()}
      act={revoke}
    >
      {used && <p>{m.key_revoke_in_use({ when: relativeTime(used, Date.now()) })}</p>}
    </Confirm>
  );
}
