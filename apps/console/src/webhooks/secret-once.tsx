import { m } from '../paraglide/messages.js';
import { CopyBox } from '../ui/copy.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';

type SecretOnceProps = {
  readonly secret: string;
  readonly publicKey: string | null;
  readonly onClose: () => void;
};

/** The only place where the secret of an endpoint is shown. */
export const SecretOnce = ({ secret, publicKey, onClose }: SecretOnceProps) => (
  <ShownOnce
    label={m.webhooks_secret()}
    copy={m.webhooks_secret_copy()}
    secret={secret}
    done={m.key_saved()}
    onClose={onClose}
  >
    {publicKey && <CopyBox label={m.webhooks_public_key()} action={m.webhooks_public_key_copy()} text={publicKey} />}
  </ShownOnce>
);
