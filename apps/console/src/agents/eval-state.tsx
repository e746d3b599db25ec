import { useQuery } from '@tanstack/react-query';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Moment } from '../ui/moment.tsx';
import type { AgentTrial } from './agent-queries.ts';
import { isRunOf } from './eval-draft.ts';
import { evalsQuery } from './eval-queries.ts';
import styles from './evals.module.css';

type EvalStateProps = {
  readonly agentId: string;
  /** The agent as it is shown: saved, or in the form. */
  readonly agent: Required<AgentTrial>;
};

/** What the last run of the evals came to, and whether it asked this agent. */
export function EvalState({ agentId, agent }: EvalStateProps) {
  const { data } = useQuery(evalsQuery(agentId));
  if (!data || data.data.length === 0) return null;
  const { run } = data;
  if (!run) return <p className={styles.soft}>{m.agents_evals_never()}</p>;
  const { held, failed, waiting, agent_version: version, is_draft, started_at } = run;
  return (
    <p className={styles.state}>
      <Badge kind={failed > 0 ? 'bad' : waiting > 0 ? 'warn' : 'good'}>
        {m.agents_evals_held({ held, count: held + failed + waiting })}
      </Badge>
      <span className={styles.soft}>
        {is_draft ? m.agents_evals_of_draft({ version }) : m.agents_evals_of_version({ version })}
        {' · '}
        <Moment at={started_at} relative />
      </span>
      {!isRunOf(run, agent) && <Badge kind="warn">{m.agents_evals_stale()}</Badge>}
    </p>
  );
}
