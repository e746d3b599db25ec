import type { PersonLink } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime } from '../ui/time.ts';

/** The only place where a login link is shown. */
export function LinkOnce({ link: { login_url, expires_at }, onClose }: { link: PersonLink; onClose: () => void }) {
  const zone = useZone();
  return (
    <ShownOnce
      label={m.team_link()}
      copy={m.team_link_copy()}
      secret={login_url}
      done={m.team_link_sent()}
      onClose={onClose}
    >
      <p>{m.team_link_until({ when: fullTime(expires_at, zone) })}</p>
    </ShownOnce>
  );
}
