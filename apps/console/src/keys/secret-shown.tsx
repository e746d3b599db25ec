import { useEffect, useRef } from 'react';
import type { Scope } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { curlOf } from './scopes.ts';

type SecretShownProps = {
  readonly apiKey: string;
  readonly scopes: readonly Scope[];
  readonly onClose: () => void;
};

/** The only place where a key is shown. Escape does not close it: the key would be lost. */
export function SecretShown({ apiKey, scopes, onClose }: SecretShownProps) {
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);
  const curl = curlOf(location.origin, apiKey, scopes);
  return (
    <>
      <DialogBody>
        <CopyBox label={m.key_secret()} action={m.key_secret_copy()} text={apiKey} buttonRef={copy} />
        {curl && <CopyBox label={m.key_try()} action={m.key_try_copy()} text={curl} />}
      </DialogBody>
      <DialogFoot>
        <Button kind="main" onClick={onClose}>
          {m.key_saved()}
        </Button>
      </DialogFoot>
    </>
  );
}
