import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, History, Pause, Pencil, Play, RefreshCw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { sayFailure } from '../ui/toasts.tsx';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { EditEndpoint } from './endpoint-form.tsx';
import { webhooksChanged } from './queries.ts';
import { ReplayEvents } from './replay-events.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { useSwitch } from './use-switch.ts';

/** Sends one test event, and opens what becomes of it. */
export function useTest({ id }: WebhookEndpoint) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () =>
      dataOf(platform.POST('/webhooks/endpoints/{endpointId}/test', { params: { path: { endpointId: id } } })),
    onSuccess: async ({ id: delivery }) => {
      void webhooksChanged();
      await navigate({
        to: '/integrations/webhooks/$endpointId',
        params: { endpointId: id },
        search: { delivery },
      });
    },
    onError: sayFailure,
  });
}

type Question = 'edit' | 'replay' | 'rotate' | 'delete';

/** What can be done with an endpoint. */
export function EndpointMenu({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [asks, setAsks] = useState<Question>();
  const switched = useSwitch(endpoint);
  const test = useTest(endpoint);
  const enabled = endpoint.status === 'enabled';
  const question = (name: Question) => ({ endpoint, open: asks === name, onClose: () => setAsks(undefined) });
  return (
    <>
      <Menu
        trigger={
          <Button kind="bare" aria-label={m.webhooks_actions({ url: endpoint.url })}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={<Pencil size={14} />} onClick={() => setAsks('edit')}>
          {m.webhooks_edit()}
        </MenuItem>
        {enabled && (
          <MenuItem icon={<Send size={14} />} onClick={() => test.mutate()}>
            {m.webhooks_test()}
          </MenuItem>
        )}
        {enabled && (
          <MenuItem icon={<History size={14} />} onClick={() => setAsks('replay')}>
            {m.webhooks_replay()}
          </MenuItem>
        )}
        <MenuItem
          icon={enabled ? <Pause size={14} /> : <Play size={14} />}
          onClick={() => switched.mutate(enabled ? 'paused' : 'enabled')}
        >
          {enabled ? m.webhooks_pause() : m.webhooks_resume()}
        </MenuItem>
        <MenuItem icon={<RefreshCw size={14} />} onClick={() => setAsks('rotate')}>
          {m.webhooks_rotate()}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 size={14} />} danger onClick={() => setAsks('delete')}>
          {m.webhooks_delete()}
        </MenuItem>
      </Menu>
      <EditEndpoint {...question('edit')} />
      <ReplayEvents {...question('replay')} />
      <RotateSecret {...question('rotate')} />
      <DeleteEndpoint {...question('delete')} />
    </>
  );
}
