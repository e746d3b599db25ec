import { faultOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { CheckField, TextArea, TextField } from '../ui/field.tsx';
import { type Draft, type DraftFaults, lengthOf, longest } from './draft.ts';

type WritingFieldsProps = {
  readonly draft: Draft;
  readonly faults: DraftFaults;
  /** Why the server refused it. */
  readonly error: unknown;
  readonly onChange: (part: Partial<Draft>) => void;
};

/** What the agent is told: what it knows, how it writes, and when it calls a person. */
export const WritingFields = ({ draft, faults, error, onChange }: WritingFieldsProps) => (
  <>
    <TextArea
      label={m.agents_instructions()}
      name="instructions"
      rows={6}
      value={draft.instructions}
      hint={`${m.agents_instructions_hint()} ${counted(draft.instructions, longest.instructions)}`}
      error={faults.instructions && m.agents_too_long({ most: longest.instructions })}
      onChange={(event) => onChange({ instructions: event.currentTarget.value })}
    />
    <TextField
      label={m.agents_tone()}
      maxLength={200}
      value={draft.tone}
      hint={m.agents_tone_hint()}
      onChange={(event) => onChange({ tone: event.currentTarget.value })}
    />
    <TextField
      label={m.agents_language()}
      maxLength={35}
      value={draft.language}
      hint={m.agents_language_hint()}
      error={faultOf(error, '#/language') && m.agents_language_wrong()}
      onChange={(event) => onChange({ language: event.currentTarget.value })}
    />
    <TextArea
      label={m.agents_handover()}
      name="handoverWhen"
      value={draft.handoverWhen}
      hint={`${m.agents_handover_hint()} ${counted(draft.handoverWhen, longest.handoverWhen)}`}
      error={faults.handoverWhen && m.agents_too_long({ most: longest.handoverWhen })}
      onChange={(event) => onChange({ handoverWhen: event.currentTarget.value })}
    />
    <CheckField
      label={m.agents_disclosure()}
      hint={m.agents_disclosure_hint()}
      checked={draft.disclosure}
      onChange={(event) => onChange({ disclosure: event.currentTarget.checked })}
    />
  </>
);

const counted = (text: string, most: number): string => m.agents_characters({ count: lengthOf(text), most });
