import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { RotateDialog } from '../ui/rotate-dialog.tsx';
import { SecretOnce } from './secret-once.tsx';

type RotateSecretProps = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Makes a new secret, and shows it once. */
export const RotateSecret = ({ endpoint: { id }, open, onClose }: RotateSecretProps) => (
  <RotateDialog
    open={open}
    onClose={onClose}
    asks={{ title: m.webhooks_rotate_title(), about: m.webhooks_rotate_text() }}
    shows={{ title: m.webhooks_secret_title(), about: m.webhooks_secret_text() }}
    label={m.webhooks_overlap()}
    action={m.webhooks_rotate()}
    rotate={(overlap_hours) =>
      dataOf(
        platform.POST('/webhooks/endpoints/{endpointId}/secret/rotate', {
          params: { path: { endpointId: id } },
          body: { overlap_hours },
        }),
      )
    }
  >
    {({ secret, public_key }) => <SecretOnce secret={secret} publicKey={public_key} onClose={onClose} />}
  </RotateDialog>
);
