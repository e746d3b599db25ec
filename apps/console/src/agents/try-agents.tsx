import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { leadChoicesQuery, leadQuery } from '../leads/queries.ts';
import { wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { type AgentSelection, selectionQuery } from './agent-queries.ts';
import styles from './agents.module.css';
import { wordsOfCondition } from './condition-words.ts';
import { selectionOutcomes, selectionReasons } from './selection-words.ts';

type TryAgentsProps = {
  readonly leadId: string | undefined;
  readonly onChoose: (leadId: string | undefined) => void;
};

/** Says which agent would answer a lead, and why each of the others would not. */
export const TryAgents = ({ leadId, onChoose }: TryAgentsProps) => (
  <section className={styles.try} aria-labelledby="try-agents">
    <h2 id="try-agents" className={styles.title}>
      {m.agents_try()}
    </h2>
    <p className={styles.soft}>{m.agents_try_about()}</p>
    {leadId ? (
      <Answer leadId={leadId} onClear={() => onChoose(undefined)} />
    ) : (
      <LeadPicker onChoose={(next) => onChoose(next)} />
    )}
  </section>
);

function LeadPicker({ onChoose }: { onChoose: (leadId: string) => void }) {
  const [q, setQ] = useState('');
  const { data, error, refetch } = useQuery(leadChoicesQuery(q));
  return (
    <>
      <Toolbar>
        <SearchBox label={m.agents_find_lead()} value={q} onSearch={setQ} maxLength={100} />
      </Toolbar>
      {error && !data ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <ul className={styles.leads}>
          {data?.map(({ id, name, status }) => (
            <li key={id}>
              <Button kind="bare" className={styles.lead} onClick={() => onChoose(id)}>
                <span className={styles.leadName}>{name}</span>
                <span className={styles.soft}>{wordsOfStatus(status)}</span>
              </Button>
            </li>
          ))}
          {data?.length === 0 && <li className={styles.soft}>{m.agents_no_lead()}</li>}
        </ul>
      )}
    </>
  );
}

function Answer({ leadId, onClear }: { leadId: string; onClear: () => void }) {
  const lead = useQuery(leadQuery(leadId)).data?.data;
  const [typed, setTyped] = useState('');
  const [message, setMessage] = useState('');
  const { data: selection, error, refetch } = useQuery(selectionQuery(leadId, message));
  const tryMessage = (event: FormEvent) => {
    event.preventDefault();
    setMessage(typed.trim());
  };
  return (
    <>
      <div className={styles.tried}>
        <span className={styles.leadName}>{lead?.name ?? ''}</span>
        {lead && <Badge>{wordsOfStatus(lead.status)}</Badge>}
        <Button kind="bare" onClick={onClear}>
          <X size={14} aria-hidden />
          {m.agents_other_lead()}
        </Button>
      </div>
      <form className={styles.message} onSubmit={tryMessage}>
        <TextField
          label={m.agents_try_message()}
          maxLength={4096}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit">{m.agents_try_ask()}</Button>
      </form>
      <div aria-live="polite">
        {error && !selection ? (
          <LoadFailed error={error} retry={refetch} />
        ) : (
          selection && <Explained selection={selection} />
        )}
      </div>
    </>
  );
}

const Explained = ({ selection: { agent, reason, considered } }: { selection: AgentSelection }) => (
  <>
    <p className={styles.answer}>
      <strong>{agent?.name ?? m.agents_none()}</strong> {selectionReasons[reason]()}
    </p>
    <ol className={styles.considered}>
      {considered.map(({ agent_id, name, outcome, condition_groups }) => (
        <li key={agent_id} data-selected={outcome === 'selected' || undefined}>
          <span className={styles.tried}>
            <span className={styles.leadName}>{name}</span>
            <Badge kind={outcome === 'selected' ? 'good' : undefined}>{selectionOutcomes[outcome]()}</Badge>
          </span>
          {condition_groups.map(({ id, conditions }) => (
            <ul key={id} className={styles.checks}>
              {conditions.map((condition) => (
                <li key={condition.id}>
                  {wordsOfCondition(condition)}: {condition.holds ? m.agents_holds() : m.agents_holds_not()}
                </li>
              ))}
            </ul>
          ))}
        </li>
      ))}
    </ol>
  </>
);
