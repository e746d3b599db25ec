import { useNavigate } from '@tanstack/react-router';
import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Confirm } from '../ui/confirm.tsx';
import { say } from '../ui/toasts.tsx';
import { endpointsQuery } from './queries.ts';

type DeleteEndpointProps = {
  readonly endpoint: WebhookEndpoint;
  readonly open: boolean;
  readonly onClose: () => void;
};

export function DeleteEndpoint({ endpoint: { id, url, health }, open, onClose }: DeleteEndpointProps) {
  const navigate = useNavigate();
  const remove = async () => {
    await dataOf(platform.DELETE('/webhooks/endpoints/{endpointId}', { params: { path: { endpointId: id } } }));
    await navigate({ to: '/integrations/webhooks' });
    await queries.invalidateQueries(endpointsQuery);
    say(m.webhooks_was_deleted());
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={m.webhooks_delete_title()}
      about={m.webhooks_delete_text({ url })}
      action={m.webhooks_delete()}
      act={remove}
    >
      {health.pending > 0 && <p>{m.webhooks_delete_pending({ count: health.pending })}</p>}
    </Confirm>
  );
}
