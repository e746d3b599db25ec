import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { type AgentTrial, firstReplayQuery } from './agent-queries.ts';
import { KeepAsEval } from './keep-as-eval.tsx';
import styles from './replay.module.css';
import { type ReplaySum, sumOf } from './replay-sum.ts';
import { wordsOfRefusedTrial } from './replay-words.ts';
import { ReplayedAnswer } from './replayed-answer.tsx';

export type SeveralTrial = {
  readonly conversations: readonly { readonly leadId: string; readonly name: string }[];
  readonly agent: AgentTrial;
  readonly run: number;
};

type SeveralResultsProps = {
  readonly trial: SeveralTrial;
  /** The agent in the form. Undefined: a new one. */
  readonly agentId: string | undefined;
  /** The form has changed since. */
  readonly isStale: boolean;
  readonly onAgain: () => void;
};

/** How the agent in the form answers several conversations, one after the other, and what that comes to. */
export function SeveralResults({ trial, agentId, isStale, onAgain }: SeveralResultsProps) {
  const { conversations, agent, run } = trial;
  const title = useRef<HTMLParagraphElement>(null);
  useEffect(() => title.current?.focus(), []);
  const asked = useQueries({
    queries: conversations.map(({ leadId }) => firstReplayQuery({ leadId, agent, run })),
  });
  const done = asked.filter(({ isFetched }) => isFetched).length;
  const isRunning = done < conversations.length;
  const all = asked.flatMap(({ data }) => data?.data ?? []);
  return (
    <div className={styles.results} aria-busy={isRunning}>
      <p ref={title} tabIndex={-1} className={styles.chosen}>
        {m.agents_replay_several_title({ count: conversations.length })}
      </p>
      <div role="status">
        {isRunning ? (
          <p>{m.agents_replay_several_running({ done, count: conversations.length })}</p>
        ) : (
          <Sum sum={sumOf(all)} />
        )}
        {isStale && !isRunning && <p className={styles.soft}>{m.agents_replay_stale()}</p>}
      </div>
      <ul className={styles.answers} aria-label={m.agents_replay_several_list()}>
        {conversations.map(({ leadId, name }, place) => {
          const { data, error } = asked[place] ?? {};
          const sum = data && sumOf(data.data);
          return (
            <li key={leadId}>
              {sum && sum.count > 0 ? (
                <details>
                  <summary>
                    <bdi>{name}</bdi>{' '}
                    <Badge kind={sum.differ > 0 ? 'warn' : undefined}>
                      {m.agents_replay_several_differ({ differ: sum.differ, count: sum.count })}
                    </Badge>
                  </summary>
                  <ol className={styles.answers}>
                    {data.data.map((turn, at, turns) => (
                      <li key={turn.turn_id}>
                        <ReplayedAnswer turn={turn}>
                          {agentId && <KeepAsEval agentId={agentId} turn={turn} earlier={turns.slice(0, at)} />}
                        </ReplayedAnswer>
                      </li>
                    ))}
                  </ol>
                </details>
              ) : (
                <p>
                  <bdi>{name}</bdi> <span className={styles.soft}>{sum ? m.agents_replay_several_none() : '…'}</span>
                </p>
              )}
              {error && <Bad>{wordsOfRefusedTrial(error)}</Bad>}
            </li>
          );
        })}
      </ul>
      <Button className={styles.more} busy={isRunning} onClick={onAgain}>
        {m.agents_replay_again()}
      </Button>
    </div>
  );
}

function Sum({ sum: { count, differ, handedOver, failed } }: { readonly sum: ReplaySum }) {
  if (count === 0) return <p>{m.agents_replay_several_nothing()}</p>;
  return (
    <>
      <p>{m.agents_replay_sum({ differ, count })}</p>
      <p>{m.agents_replay_several_people(handedOver)}</p>
      {failed > 0 && <p>{m.agents_replay_several_failed({ failed })}</p>}
    </>
  );
}
