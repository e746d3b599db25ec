import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { EndpointBadge, wordsOfHealth } from './endpoint-badge.tsx';
import { CreateEndpoint } from './endpoint-form.tsx';
import { EndpointMenu } from './endpoint-menu.tsx';
import { endpointsQuery } from './queries.ts';

export const route = createLazyRoute('/shell/integrations/webhooks')({ component: Webhooks });

const columns = (now: number): readonly Column<WebhookEndpoint>[] => [
  {
    key: 'url',
    label: m.webhooks_url(),
    wide: true,
    cell: ({ id, url, description }) => (
      <TwoLines below={description}>
        <Link to="/integrations/webhooks/$endpointId" params={{ endpointId: id }} className={rowLink}>
          {url}
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'events',
    label: m.webhooks_events(),
    cell: ({ event_types }) =>
      event_types ? m.webhooks_some_types({ count: event_types.length }) : m.webhooks_all_types(),
  },
  {
    key: 'state',
    label: m.webhooks_state(),
    cell: (endpoint) => (
      <span title={wordsOfHealth(endpoint, now)}>
        <EndpointBadge endpoint={endpoint} />
      </span>
    ),
  },
  { key: 'waiting', label: m.webhooks_waiting(), numeric: true, cell: ({ health }) => health.pending },
];

function Webhooks() {
  const { data: endpoints, error, refetch } = useQuery(endpointsQuery);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.webhooks_create()}
    </Button>
  );
  const actions = (
    <>
      <DocsLink to="/docs/guides/webhooks">{m.webhooks_docs()}</DocsLink>
      {endpoints && endpoints.length > 0 && create}
    </>
  );
  return (
    <Page title={m.webhooks()} about={m.webhooks_about()} actions={actions}>
      {error && !endpoints ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Table
          label={m.webhooks()}
          columns={columns(Date.now())}
          rows={endpoints}
          keyOf={({ id }) => id}
          actions={(endpoint) => <EndpointMenu endpoint={endpoint} />}
          empty={
            <Empty icon={Webhook} title={m.webhooks_empty_title()} text={m.webhooks_empty_text()}>
              {create}
            </Empty>
          }
        />
      )}
      <CreateEndpoint open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}
