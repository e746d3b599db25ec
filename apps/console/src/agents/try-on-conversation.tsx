import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { previewOf } from '../inbox/message-words.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { Bad } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { type Agent, type AgentTrial, replayQuery, type Trial, triedConversationsQuery } from './agent-queries.ts';
import { type Draft, trialOf } from './draft.ts';
import { KeepAsEval } from './keep-as-eval.tsx';
import styles from './replay.module.css';
import { wordsOfRefusedTrial } from './replay-words.ts';
import { ReplayedAnswer } from './replayed-answer.tsx';
import { SeveralResults, type SeveralTrial } from './several-results.tsx';

type TryOnConversationProps = {
  readonly agents: readonly Agent[];
  /** The agent in the form. Undefined: a new one. */
  readonly agentId: string | undefined;
  readonly draft: Draft;
  /** The agent as it is in the form. Undefined: a field is wrong, and says so now. */
  readonly takeTrial: () => AgentTrial | undefined;
};

/** Asks the AI again about a conversation of the store, with the agent as it is in the form. */
export function TryOnConversation({ agents, agentId, draft, takeTrial }: TryOnConversationProps) {
  const [chosen, setChosen] = useState<Trial & { readonly name: string }>();
  const [several, setSeveral] = useState<SeveralTrial>();
  const [isAgain, setAgain] = useState(false);
  const run = (leadId: string, name: string) => {
    const agent = takeTrial();
    if (agent) setChosen({ leadId, name, agent, run: (chosen?.run ?? 0) + 1 });
  };
  const runAll = (conversations: SeveralTrial['conversations']) => {
    const agent = takeTrial();
    if (agent) setSeveral({ conversations, agent, run: (several?.run ?? 0) + 1 });
  };
  const choose = () => {
    setAgain(true);
    setChosen(undefined);
    setSeveral(undefined);
  };
  const isChanged = (agent: AgentTrial) => JSON.stringify(trialOf(draft)) !== JSON.stringify(agent);
  return (
    <section className={styles.replay} aria-labelledby="try-on-conversation">
      <h3 id="try-on-conversation" className={styles.heading}>
        {m.agents_replay()}
      </h3>
      <p className={styles.soft}>{m.agents_replay_about()}</p>
      {chosen ? (
        <>
          <Tried key={chosen.leadId} name={chosen.name} onOther={choose} />
          <Results
            trial={chosen}
            agentId={agentId}
            otherAgent={(id) => (id === agentId ? undefined : agents.find((agent) => agent.id === id)?.name)}
            isStale={isChanged(chosen.agent)}
            onAgain={() => run(chosen.leadId, chosen.name)}
          />
        </>
      ) : several ? (
        <>
          <SeveralResults
            key={several.run}
            trial={several}
            agentId={agentId}
            isStale={isChanged(several.agent)}
            onAgain={() => runAll(several.conversations)}
          />
          <Button kind="bare" onClick={choose}>
            <X size={14} aria-hidden />
            {m.agents_replay_other()}
          </Button>
        </>
      ) : (
        <Conversations isFocused={isAgain} onChoose={run} onAll={runAll} />
      )}
    </section>
  );
}

type ConversationsProps = {
  /** It takes the place of what had the focus. */
  readonly isFocused: boolean;
  readonly onChoose: (leadId: string, name: string) => void;
  readonly onAll: (conversations: SeveralTrial['conversations']) => void;
};

function Conversations({ isFocused, onChoose, onAll }: ConversationsProps) {
  const [q, setQ] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const { data, error, refetch } = useQuery(triedConversationsQuery(q));
  useEffect(() => {
    if (isFocused) box.current?.focus();
  }, [isFocused]);
  if (error && !data) return <LoadFailed error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  if (data.length === 0 && q === '') return <p className={styles.soft}>{m.agents_replay_empty()}</p>;
  return (
    <>
      <Toolbar>
        <SearchBox ref={box} label={m.agents_replay_find()} value={q} onSearch={setQ} maxLength={100} />
      </Toolbar>
      {data.length === 0 ? (
        <p role="status" className={styles.soft}>
          {m.agents_replay_no_match()}
        </p>
      ) : (
        <ul className={styles.conversations}>
          {data.map(({ lead: { id, name }, last_message, last_activity_at }) => (
            <li key={id}>
              <Button kind="bare" className={styles.conversation} onClick={() => onChoose(id, name)}>
                <span className={styles.name} dir="auto">
                  {name}
                </span>
                <span className={styles.soft}>
                  <Moment at={last_activity_at} relative />
                </span>
                <span className={styles.last} dir="auto">
                  {previewOf(last_message)}
                </span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {data.length > 1 && (
        <Button
          className={styles.more}
          onClick={() => onAll(data.map(({ lead: { id, name } }) => ({ leadId: id, name })))}
        >
          {m.agents_replay_several({ count: data.length })}
        </Button>
      )}
    </>
  );
}

/** The conversation that is tried. It takes the focus from the list, which is gone. */
function Tried({ name, onOther }: { readonly name: string; readonly onOther: () => void }) {
  const shown = useRef<HTMLSpanElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <div className={styles.tried}>
      <span ref={shown} tabIndex={-1} className={styles.chosen} dir="auto">
        {name}
      </span>
      <Button kind="bare" onClick={onOther}>
        <X size={14} aria-hidden />
        {m.agents_replay_other()}
      </Button>
    </div>
  );
}

type ResultsProps = {
  readonly trial: Trial;
  /** The agent in the form. Undefined: a new one. */
  readonly agentId: string | undefined;
  /** The name of another agent than the one in the form. */
  readonly otherAgent: (agentId: string) => string | undefined;
  /** The form has changed since. */
  readonly isStale: boolean;
  readonly onAgain: () => void;
};

function Results({ trial, agentId, otherAgent, isStale, onAgain }: ResultsProps) {
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery(replayQuery(trial));
  const again = useRef<HTMLButtonElement>(null);
  const more = async () => {
    const { hasNextPage: hasMore } = await fetchNextPage();
    // The button for more is gone.
    if (!hasMore) again.current?.focus();
  };
  const turns = data?.pages.flatMap((page) => page.data) ?? [];
  const other = data?.pages[0] && otherAgent(data.pages[0].agent_id);
  const differ = turns.filter(({ differs }) => differs).length;
  return (
    <div className={styles.results} aria-busy={isFetching}>
      {other !== undefined && <p className={styles.soft}>{m.agents_replay_other_agent({ name: other })}</p>}
      <div role="status">
        {isFetching && <p>{m.agents_replay_running()}</p>}
        {!isFetching && turns.length > 0 && <p>{m.agents_replay_sum({ differ, count: turns.length })}</p>}
        {data && !isFetching && turns.length === 0 && !hasNextPage && <p>{m.agents_replay_none()}</p>}
        {isStale && !isFetching && <p className={styles.soft}>{m.agents_replay_stale()}</p>}
      </div>
      {turns.length > 0 && (
        <ol className={styles.answers} aria-label={m.agents_replay_answers()}>
          {turns.map((turn, at) => (
            <li key={turn.turn_id}>
              <ReplayedAnswer turn={turn}>
                {agentId && <KeepAsEval agentId={agentId} turn={turn} earlier={turns.slice(0, at)} />}
              </ReplayedAnswer>
            </li>
          ))}
        </ol>
      )}
      {isFetching && <Waiting />}
      {error && !isFetching && <Bad>{wordsOfRefusedTrial(error)}</Bad>}
      {hasNextPage && (
        <Button className={styles.more} busy={isFetching} onClick={() => void more()}>
          {m.agents_replay_more()}
        </Button>
      )}
      <Button ref={again} className={styles.more} busy={isFetching} onClick={onAgain}>
        {m.agents_replay_again()}
      </Button>
    </div>
  );
}

const Waiting = () => (
  <div aria-busy="true">
    <Skeleton width="long" />
    <Skeleton width="full" />
  </div>
);
