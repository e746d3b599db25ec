import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Play, Send } from 'lucide-react';
import type { WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { BackLink } from '../ui/back-link.tsx';
import { Button } from '../ui/button.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { Page } from '../ui/page.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { EndpointBadge, wordsOfHealth } from './endpoint-badge.tsx';
import { EndpointMenu, useTest } from './endpoint-menu.tsx';
import type { EndpointSearch } from './endpoint-search.ts';
import { stateOf } from './endpoint-state.ts';
import { endpointQuery } from './queries.ts';
import { ReplayProgress } from './replay-progress.tsx';
import { useCreator } from './use-creator.ts';
import { useSwitch } from './use-switch.ts';
import styles from './webhooks.module.css';

export const route = createLazyRoute('/shell/integrations/webhooks/$endpointId')({ component: Endpoint });

function Endpoint() {
  const { endpointId } = useParams({ from: '/shell/integrations/webhooks/$endpointId' });
  const search = useSearch({ from: '/shell/integrations/webhooks/$endpointId' });
  const navigate = useNavigate();
  const change = (part: EndpointSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true });
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(endpointId));
  return (
    <Page
      title={endpoint?.url ?? m.webhooks_endpoint()}
      about={endpoint?.description ?? m.webhooks_endpoint_about()}
      above={<BackLink to="/integrations/webhooks">{m.webhooks()}</BackLink>}
      actions={endpoint && <Actions endpoint={endpoint} />}
    >
      {endpoint ? (
        <>
          <State endpoint={endpoint} />
          {search.replay && (
            <ReplayProgress
              endpointId={endpointId}
              replayId={search.replay}
              onClose={() => change({ replay: undefined })}
            />
          )}
          <Deliveries endpointId={endpointId} status={search.status} onFilter={(status) => change({ status })} />
        </>
      ) : (
        error && <LoadFailed error={error} retry={refetch} />
      )}
      <DeliveryDrawer
        endpointId={endpointId}
        deliveryId={search.delivery}
        onClose={() => change({ delivery: undefined })}
      />
    </Page>
  );
}

function Actions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const test = useTest(endpoint);
  const switched = useSwitch(endpoint);
  return (
    <>
      {endpoint.status === 'enabled' ? (
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          <Send size={14} aria-hidden />
          {m.webhooks_test()}
        </Button>
      ) : (
        <Button kind="main" busy={switched.isPending} onClick={() => switched.mutate('enabled')}>
          <Play size={14} aria-hidden />
          {m.webhooks_resume()}
        </Button>
      )}
      <EndpointMenu endpoint={endpoint} />
    </>
  );
}

function State({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { health, event_types, ordering, payload, public_key, created_at, created_by } = endpoint;
  const creator = useCreator(created_by);
  const state = stateOf(endpoint);
  return (
    <section className={styles.state} aria-label={m.webhooks_state()}>
      <p className={styles.health} data-bad={state === 'failing' || state === 'gave_up' || state === 'gone'}>
        <EndpointBadge endpoint={endpoint} />
        {wordsOfHealth(endpoint, Date.now())}
      </p>
      <Facts
        facts={[
          [
            m.webhooks_waiting(),
            health.pending > 0 && health.oldest_pending_at ? (
              <>
                {health.pending} · {m.webhooks_oldest()} <Moment at={health.oldest_pending_at} relative />
              </>
            ) : (
              health.pending
            ),
          ],
          [m.webhooks_events(), event_types ? event_types.join(', ') : m.webhooks_all_types()],
          [m.webhooks_ordering(), ordering === 'entity' ? m.webhooks_ordering_entity() : m.webhooks_ordering_none()],
          [m.webhooks_payload(), payload === 'object' ? m.webhooks_payload_object() : m.webhooks_payload_thin()],
          public_key !== null && [
            m.webhooks_public_key(),
            <CopyText key="key" text={public_key} action={m.webhooks_public_key_copy()} />,
          ],
          [m.webhooks_created(), <Moment key="created" at={created_at} />],
          [m.key_created_by(), creator],
        ]}
      />
    </section>
  );
}
