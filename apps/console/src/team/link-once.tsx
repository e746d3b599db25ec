import { useEffect, useRef } from 'react';
import type { PersonLink } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { fullTime } from '../ui/time.ts';

/** The only place where a login link is shown. */
export function LinkOnce({ link: { login_url, expires_at }, onClose }: { link: PersonLink; onClose: () => void }) {
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);
  return (
    <>
      <DialogBody>
        <CopyBox label={m.team_link()} action={m.team_link_copy()} text={login_url} buttonRef={copy} />
        <p>{m.team_link_until({ when: fullTime(expires_at) })}</p>
      </DialogBody>
      <DialogFoot>
        <Button kind="main" onClick={onClose}>
          {m.team_link_sent()}
        </Button>
      </DialogFoot>
    </>
  );
}
