import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { cellBadges } from '../ui/table.tsx';
import type { Agent } from './agent-queries.ts';

export const AgentState = ({ agent: { is_active, is_default } }: { agent: Agent }) => (
  <span className={cellBadges}>
    {is_active ? <Badge kind="good">{m.agents_active()}</Badge> : <Badge>{m.agents_inactive()}</Badge>}
    {is_default && <Badge>{m.agents_default()}</Badge>}
  </span>
);
