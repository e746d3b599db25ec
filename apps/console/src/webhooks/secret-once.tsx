import { useEffect, useRef } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { DialogBody, DialogFoot } from '../ui/dialog.tsx';

type SecretOnceProps = {
  readonly secret: string;
  readonly publicKey: string | null;
  readonly onClose: () => void;
};

/** The only place where the secret of an endpoint is shown. */
export function SecretOnce({ secret, publicKey, onClose }: SecretOnceProps) {
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);
  return (
    <>
      <DialogBody>
        <CopyBox label={m.webhooks_secret()} action={m.webhooks_secret_copy()} text={secret} buttonRef={copy} />
        {publicKey && (
          <CopyBox label={m.webhooks_public_key()} action={m.webhooks_public_key_copy()} text={publicKey} />
        )}
      </DialogBody>
      <DialogFoot>
        <Button kind="main" onClick={onClose}>
          {m.key_saved()}
        </Button>
      </DialogFoot>
    </>
  );
}
