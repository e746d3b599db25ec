import { useMutation, useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Bad } from '../ui/page.tsx';
import type { AgentTrial } from './agent-queries.ts';
import { EvalForm } from './eval-form.tsx';
import { type AgentEval, deleteEval, evalsChanged, evalsQuery, runEvals } from './eval-queries.ts';
import { EvalState } from './eval-state.tsx';
import { wordsOfExpectation, wordsOfRefusedEval } from './eval-words.ts';
import styles from './evals.module.css';
import { wordsOfAction } from './replay-words.ts';

type EvalsProps = {
  readonly agentId: string;
  /** The agent as it is shown: saved, or in the form. */
  readonly agent: Required<AgentTrial>;
  /** The agent as it is in the form. Undefined: a field is wrong, and says so now. Left out: the saved agent is asked. */
  readonly takeTrial?: () => AgentTrial | undefined;
};

/** What customers write to an agent, what good answers do, and which of them hold. */
export function Evals({ agentId, agent, takeTrial }: EvalsProps) {
  const { data, error, refetch } = useQuery(evalsQuery(agentId));
  const [edited, setEdited] = useState<AgentEval | 'new'>();
  const add = useRef<HTMLButtonElement>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useMutation({
    mutationFn: (trial: AgentTrial | undefined) => {
      stop.current = new AbortController();
      return runEvals(agentId, trial, stop.current.signal);
    },
  });
  const start = () => {
    const trial = takeTrial?.();
    if (!takeTrial || trial) run.mutate(trial);
  };
  const close = () => {
    setEdited(undefined);
    // What had the focus is gone.
    requestAnimationFrame(() => add.current?.focus());
  };
  const all = data?.data ?? [];
  const done = data?.run ? data.run.held + data.run.failed : 0;
  return (
    <section className={styles.evals} aria-labelledby="agent-evals">
      <h3 id="agent-evals" className={styles.heading}>
        {m.agents_evals()}
      </h3>
      <p className={styles.soft}>{takeTrial ? m.agents_evals_about_draft() : m.agents_evals_about()}</p>
      {error && !data && <LoadFailed error={error} retry={refetch} />}
      {data && all.length === 0 && <p className={styles.soft}>{m.agents_evals_none()}</p>}
      <div role="status">
        {run.isPending ? (
          <p>{m.agents_evals_running({ done, count: all.length })}</p>
        ) : (
          <EvalState agentId={agentId} agent={agent} />
        )}
      </div>
      {run.error && <Bad>{wordsOfRefusedEval(run.error)}</Bad>}
      {all.length > 0 && (
        <ul className={styles.list} aria-label={m.agents_evals()}>
          {all.map((one) => (
            <EvalRow key={one.id} eval={one} onEdit={() => setEdited(one)} />
          ))}
        </ul>
      )}
      {edited && (
        <EvalForm
          key={edited === 'new' ? 'new' : edited.id}
          agentId={agentId}
          eval={edited === 'new' ? undefined : edited}
          onClose={close}
        />
      )}
      <div className={styles.actions}>
        {all.length > 0 && (
          <Button busy={run.isPending} onClick={start}>
            {m.agents_evals_run({ count: all.length })}
          </Button>
        )}
        {data && !edited && (
          <Button ref={add} kind="bare" onClick={() => setEdited('new')}>
            <Plus size={14} aria-hidden />
            {m.agents_evals_add()}
          </Button>
        )}
      </div>
    </section>
  );
}

type EvalRowProps = { readonly eval: AgentEval; readonly onEdit: () => void };

function EvalRow({ eval: one, onEdit }: EvalRowProps) {
  const { id, agent_id, text, conversation, expects, result } = one;
  const [asks, setAsks] = useState(false);
  const action = result ? wordsOfAction(result.answer) : undefined;
  return (
    <li>
      <details>
        <summary>
          <bdi>{text}</bdi>{' '}
          {result ? (
            <Badge kind={result.holds ? 'good' : 'bad'}>
              {result.holds ? m.agents_evals_holds() : m.agents_evals_fails()}
            </Badge>
          ) : (
            <Badge>{m.agents_evals_waiting()}</Badge>
          )}
        </summary>
        <div className={styles.more}>
          {conversation.length > 0 && (
            <>
              <p className={styles.soft}>{m.agents_evals_before()}</p>
              {conversation.map((line, place) => (
                <blockquote key={place} className={styles.said} dir="auto">
                  {line.from === 'lead' ? m.agents_evals_customer() : m.agents_evals_store()}: {line.text}
                </blockquote>
              ))}
            </>
          )}
          {expects.length === 0 && <p className={styles.soft}>{m.agents_evals_expects_nothing()}</p>}
          <ul>
            {(result?.expects ?? expects).map((expectation, place) => (
              <li key={place} dir="auto">
                {wordsOfExpectation(expectation)}
                {'holds' in expectation && ` – ${expectation.holds ? m.agents_evals_holds() : m.agents_evals_fails()}`}
              </li>
            ))}
          </ul>
          {result && (
            <>
              <p className={styles.soft}>{m.agents_evals_answered()}</p>
              {action && <p>{action}</p>}
              {result.answer.text !== null && (
                <blockquote className={styles.said} dir="auto">
                  {result.answer.text}
                </blockquote>
              )}
            </>
          )}
        </div>
      </details>
      <Button kind="bare" aria-label={m.agents_evals_edit({ text })} onClick={onEdit}>
        <Pencil size={14} aria-hidden />
      </Button>
      <Button kind="bare" aria-label={m.agents_evals_delete_one({ text })} onClick={() => setAsks(true)}>
        <Trash2 size={14} aria-hidden />
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={m.agents_evals_delete_title()}
        about={m.agents_evals_delete_about()}
        action={m.agents_evals_delete()}
        act={async () => {
          await deleteEval(agent_id, id);
          await evalsChanged(agent_id);
        }}
      />
    </li>
  );
}
