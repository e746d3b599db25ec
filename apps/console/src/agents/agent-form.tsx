import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Failure, faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { type Agent, agentsQuery } from './agent-queries.ts';
import styles from './agents.module.css';
import { Combination } from './combination.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { bodyOf, changesOf, type Draft, draftOf, emptyDraft, faultsOf, greatestPriority, trialOf } from './draft.ts';
import { EvalState } from './eval-state.tsx';
import { Evals } from './evals.tsx';
import { ToolChecks } from './tool-checks.tsx';
import { toolNames } from './tools.ts';
import { TryOnConversation } from './try-on-conversation.tsx';
import { WritingFields } from './writing-fields.tsx';

/** The button that saves stands outside of the form. */
export const agentFormId = 'agent-form';

type AgentFormProps = {
  /** Undefined: a new one. */
  readonly agent: Agent | undefined;
  readonly agents: readonly Agent[];
  readonly onBusy: (busy: boolean) => void;
  readonly onSaved: () => void;
};

export function AgentForm({ agent, agents, onBusy, onSaved }: AgentFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [first] = useState<Draft>(() => (agent ? draftOf(agent) : emptyDraft(agents)));
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        agent
          ? platform.PATCH('/agents/{agentId}', {
              params: { path: { agentId: agent.id } },
              body: changesOf(first, draft),
            })
          : platform.POST('/agents', { body: bodyOf(draft) }),
      ),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries(agentsQuery);
      say(agent ? m.agents_was_saved({ name }) : m.agents_was_created({ name }));
      onSaved();
    },
  });
  useEffect(() => onBusy(save.isPending), [onBusy, save.isPending]);

  const unsaved = useUnsaved({ isChanged: JSON.stringify(draft) !== JSON.stringify(first), busy: save.isPending });
  const faults = tried ? faultsOf(draft) : {};
  const change = (part: Partial<Draft>) => setDraft((current) => ({ ...current, ...part }));
  const focusOn = (field: string) => form.current?.querySelector<HTMLElement>(`[name=${field}]`)?.focus();
  /** What is tried on a conversation, unless a field that decides about answers is wrong. */
  const takeTrial = () => {
    const faulty = Object.keys(faultsOf(draft)).find((field) => field !== 'priority' && field !== 'conditions');
    if (!faulty) return trialOf(draft);
    setTried(true);
    focusOn(faulty);
    return undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    setTried(true);
    const [faulty] = Object.keys(faultsOf(draft));
    if (faulty) return focusOn(faulty);
    // The server takes no change that is empty.
    if (agent && Object.keys(changesOf(first, draft)).length === 0) return onSaved();
    save.mutate();
  };
  return (
    <>
      <form ref={form} id={agentFormId} className={styles.form} onSubmit={submit} noValidate {...unsaved}>
        <TextField
          label={m.agents_name()}
          name="name"
          maxLength={200}
          value={draft.name}
          error={faults.name && m.agents_name_missing()}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <WritingFields draft={draft} faults={faults} error={save.error} onChange={change} />
        <ToolChecks
          label={m.agents_tools()}
          names={toolNames}
          chosen={draft.tools}
          hintOf={(name) => (name === 'find_times' ? m.agents_tool_find_times_hint() : undefined)}
          onChoose={(tools) => change({ tools })}
        >
          {draft.tools.length === 0 && <p className={styles.soft}>{m.agents_tools_none()}</p>}
        </ToolChecks>
        <Combination tools={draft.tools} />
        <ConditionEditor
          groups={draft.groups}
          isChecked={faults.conditions === true}
          onChange={(groups) => change({ groups })}
        />
        <TextField
          label={m.agents_priority()}
          name="priority"
          inputMode="numeric"
          maxLength={7}
          value={draft.priority}
          hint={m.agents_priority_hint()}
          error={faults.priority && m.agents_priority_wrong({ most: greatestPriority })}
          onChange={(event) => change({ priority: event.currentTarget.value })}
        />
        <SelectField
          label={m.agents_model()}
          value={draft.model}
          choices={[
            ['auto', m.agents_model_auto()],
            ['gemini', 'Gemini'],
            ['openai', 'OpenAI'],
          ]}
          onChange={(event) => change({ model: event.currentTarget.value as Draft['model'] })}
        />
        <CheckField
          label={m.agents_active()}
          hint={m.agents_active_hint()}
          checked={draft.isActive}
          onChange={(event) => change({ isActive: event.currentTarget.checked })}
        />
        {agent && <EvalState agentId={agent.id} agent={trialOf(draft)} />}
        <CheckField
          label={m.agents_default()}
          hint={m.agents_default_about()}
          checked={draft.isDefault}
          onChange={(event) => change({ isDefault: event.currentTarget.checked })}
        />
        <CheckField
          label={m.agents_audio()}
          checked={draft.audio}
          onChange={(event) => change({ audio: event.currentTarget.checked })}
        />
        {draft.audio && (
          <TextField
            label={m.agents_voice()}
            hint={m.agents_voice_hint()}
            maxLength={200}
            value={draft.voice}
            onChange={(event) => change({ voice: event.currentTarget.value })}
          />
        )}
        {save.error && !faultOf(save.error, '#/language') && <Bad>{failureOf(save.error)}</Bad>}
      </form>
      {agent && <Evals agentId={agent.id} agent={trialOf(draft)} takeTrial={takeTrial} />}
      <TryOnConversation agents={agents} agentId={agent?.id} draft={draft} takeTrial={takeTrial} />
    </>
  );
}

const failureOf = (error: unknown): string =>
  error instanceof Failure && error.code === 'default_agent_exists' ? m.agents_default_exists() : wordsOf(error);
