import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { AgentDrawer } from './agent-drawer.tsx';
import { type Agent, agentsQuery } from './agent-queries.ts';
import { AgentState } from './agent-state.tsx';
import styles from './agents.module.css';
import { wordsOfAgent } from './condition-words.ts';
import { TryAgents } from './try-agents.tsx';

export const route = createLazyRoute('/shell/agents')({ component: Agents });

const columns = (): readonly Column<Agent>[] => [
  {
    key: 'name',
    label: m.agents_name(),
    wide: true,
    cell: (agent) => (
      <TwoLines below={<span className={styles.when}>{wordsOfAgent(agent)}</span>}>
        <Link to="/agents" search={(search) => ({ ...search, agent: agent.id })} className={rowLink}>
          {agent.name}
        </Link>
      </TwoLines>
    ),
  },
  { key: 'priority', label: m.agents_priority(), numeric: true, cell: ({ priority }) => priority },
  { key: 'state', label: m.agents_state(), cell: (agent) => <AgentState agent={agent} /> },
];

function Agents() {
  const { agent, lead } = route.useSearch();
  const navigate = useNavigate({ from: '/agents' });
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery(agentsQuery);
  // For the names of sellers in conditions.
  useQuery(sellersQuery);
  const [creating, setCreating] = useState(false);
  const mayChange = session !== undefined && session.role !== 'seller';
  const create = mayChange && (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.agents_create()}
    </Button>
  );
  return (
    <Page title={m.agents()} about={m.agents_about()} actions={data && data.data.length > 0 ? create : undefined}>
      {error && !data ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Table
          label={m.agents()}
          columns={columns()}
          rows={data?.data}
          keyOf={({ id }) => id}
          empty={
            <Empty icon={Bot} title={m.agents_empty_title()} text={m.agents_empty_text()}>
              {create}
            </Empty>
          }
        />
      )}
      {data && data.data.length > 0 && (
        <TryAgents
          leadId={lead}
          onChoose={(next) =>
            void navigate({ search: ({ lead: _, ...rest }) => (next ? { ...rest, lead: next } : rest), replace: true })
          }
        />
      )}
      <AgentDrawer
        agents={data?.data ?? []}
        agentId={agent}
        creating={creating}
        mayChange={mayChange}
        onClose={() => {
          setCreating(false);
          if (agent) void navigate({ search: ({ agent: _, ...rest }) => rest, replace: true });
        }}
      />
    </Page>
  );
}
