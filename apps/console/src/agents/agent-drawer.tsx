import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice } from '../ui/page.tsx';
import { useLeave } from '../ui/unsaved.tsx';
import { AgentForm, agentFormId } from './agent-form.tsx';
import type { Agent } from './agent-queries.ts';
import { AgentState } from './agent-state.tsx';
import styles from './agents.module.css';
import { Combination } from './combination.tsx';
import { wordsOfCondition } from './condition-words.ts';
import { isEditable } from './draft.ts';
import { Evals } from './evals.tsx';
import { wordsOfUse } from './tools.ts';

type AgentDrawerProps = {
  readonly agents: readonly Agent[];
  readonly agentId: string | undefined;
  readonly creating: boolean;
  readonly mayChange: boolean;
  readonly onClose: () => void;
};

/** One agent: what it does, its conditions in words, and the form that changes them. */
export function AgentDrawer({ agents, agentId, creating, mayChange, onClose }: AgentDrawerProps) {
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const agent = agents.find(({ id }) => id === agentId);
  const form = creating || (editing && agent !== undefined);
  const close = () => {
    setEditing(false);
    onClose();
  };
  const foot = form && (
    <>
      <Cancel onCancel={creating ? close : () => setEditing(false)} />
      <Button type="submit" form={agentFormId} kind="main" busy={busy}>
        {creating ? m.agents_create() : m.agents_save()}
      </Button>
    </>
  );
  const edit = agent && mayChange && !form && isEditable(agent) && (
    <Button onClick={() => setEditing(true)}>
      <Pencil size={14} aria-hidden />
      {m.agents_edit()}
    </Button>
  );
  return (
    <Drawer
      open={creating || agent !== undefined}
      onClose={close}
      title={creating ? m.agents_create() : (agent?.name ?? m.agents())}
      actions={edit}
      foot={foot}
      keep={form}
    >
      {form ? (
        <AgentForm
          key={agent?.id ?? 'new'}
          agent={creating ? undefined : agent}
          agents={agents}
          onBusy={setBusy}
          onSaved={creating ? close : () => setEditing(false)}
        />
      ) : (
        agent && <Details agent={agent} mayChange={mayChange} />
      )}
    </Drawer>
  );
}

function Cancel({ onCancel }: { onCancel: () => void }) {
  const leave = useLeave();
  return <Button onClick={() => leave(onCancel)}>{m.cancel()}</Button>;
}

const Written = ({ text }: { readonly text: string }) => (
  <span className={styles.written} dir="auto">
    {text}
  </span>
);

const models = { auto: m.agents_model_auto, gemini: () => 'Gemini', openai: () => 'OpenAI' };

function Details({ agent, mayChange }: { readonly agent: Agent; readonly mayChange: boolean }) {
  const { condition_groups: groups, is_default, audio_response_enabled, voice_id } = agent;
  const { instructions, tone, language, disclosure, handover_when } = agent;
  return (
    <>
      <AgentState agent={agent} />
      <section className={styles.part}>
        <h3 className={styles.heading}>{m.agents_when()}</h3>
        {groups.map(({ id, conditions }, index) => (
          <div key={id} className={styles.group}>
            {index > 0 && <span className={styles.or}>{m.agents_or()}</span>}
            <ul className={styles.conditions}>
              {conditions.map((condition, place) => (
                <li key={condition.id}>
                  {place > 0 && <span className={styles.and}>{m.agents_and()} </span>}
                  {wordsOfCondition(condition)}
                </li>
              ))}
            </ul>
          </div>
        ))}
        {groups.length === 0 && !is_default && <p>{m.agents_when_never()}</p>}
        {is_default && <p className={styles.soft}>{m.agents_default_about()}</p>}
      </section>
      <Combination tools={agent.tools} />
      <Facts
        facts={[
          instructions !== null && [m.agents_instructions(), <Written key="instructions" text={instructions} />],
          tone !== null && [m.agents_tone(), <Written key="tone" text={tone} />],
          [m.agents_language(), language ?? m.agents_language_of_lead()],
          handover_when !== null && [m.agents_handover(), <Written key="handover" text={handover_when} />],
          [m.agents_disclosure(), disclosure ? m.agents_yes() : m.agents_no()],
          [m.agents_tools(), agent.tools.map(wordsOfUse).join(' · ') || m.agents_tools_none()],
          [m.agents_priority(), agent.priority],
          [m.agents_model(), models[agent.model]()],
          [m.agents_audio(), audio_response_enabled ? m.agents_yes() : m.agents_no()],
          voice_id !== null && [m.agents_voice(), voice_id],
          [m.agents_changed(), <Moment key="changed" at={agent.updated_at} relative />],
        ]}
      />
      {mayChange && <Evals agentId={agent.id} agent={agent} />}
      {!isEditable(agent) && <Notice title={m.agents_later_title()} text={m.agents_later_text()} />}
    </>
  );
}
