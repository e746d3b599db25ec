import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import type { Agent } from './agent-queries.ts';
import styles from './agents.module.css';

export const AgentState = ({ agent: { is_active, is_default } }: { agent: Agent }) => (
  <span className={styles.badges}>
    {is_active ? <Badge kind="good">{m.agents_active()}</Badge> : <Badge>{m.agents_inactive()}</Badge>}
    {is_default && <Badge>{m.agents_default()}</Badge>}
  </span>
);
