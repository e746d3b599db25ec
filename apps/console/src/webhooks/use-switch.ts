import { useMutation } from '@tanstack/react-query';
import { dataOf, platform, type WebhookEndpoint } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import { endpointQuery, endpointsQuery, webhooksChanged } from './queries.ts';

type Switch = 'enabled' | 'paused';

const switchTo = (endpointId: string, status: Switch) =>
  dataOf(platform.PATCH('/webhooks/endpoints/{endpointId}', { params: { path: { endpointId } }, body: { status } }));

/** Pauses or resumes an endpoint. It shows at once, and can be taken back. */
export function useSwitch({ id, status: before }: WebhookEndpoint) {
  const show = (status: WebhookEndpoint['status']) => {
    const change = (endpoint: WebhookEndpoint) => (endpoint.id === id ? { ...endpoint, status } : endpoint);
    queries.setQueryData(endpointsQuery.queryKey, (endpoints) => endpoints?.map(change));
    queries.setQueryData(endpointQuery(id).queryKey, (endpoint) => endpoint && change(endpoint));
  };
  return useMutation({
    mutationFn: (status: Switch) => switchTo(id, status),
    onMutate: (status) => show(status),
    onSuccess: (_, status) => {
      const back: Switch = status === 'paused' ? 'enabled' : 'paused';
      sayWithUndo(status === 'paused' ? m.webhooks_was_paused() : m.webhooks_was_resumed(), () => {
        show(back);
        void switchTo(id, back).catch(sayFailure).finally(webhooksChanged);
      });
    },
    onError: (error) => {
      show(before);
      sayFailure(error);
    },
    onSettled: webhooksChanged,
  });
}
