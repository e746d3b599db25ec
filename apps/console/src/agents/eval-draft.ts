import type { AgentTrial, ReplayedTurn } from './agent-queries.ts';
import type { AgentEval, AgentEvalRun, EvalBody } from './eval-queries.ts';

type Expectation = NonNullable<EvalBody['expects']>[number];
export type ExpectationType = Expectation['type'];

/** An eval while a person edits it. Keys tell expectations apart that say the same. */
export type EvalDraft = {
  readonly text: string;
  readonly expects: readonly DraftExpectation[];
};
type DraftExpectation = { readonly key: number; readonly type: ExpectationType; readonly value: string };

const longestEvalText = 4_096;
export const longestExpectation = 200;
export const mostExpectations = 10;
const longestLine = 1_000;
const mostLines = 20;

let made = 0;
const newKey = () => {
  made += 1;
  return made;
};

/** A new expectation of a draft. */
export const newExpectation = (): DraftExpectation => ({ key: newKey(), type: 'contains', value: '' });

export const needsValue = (type: ExpectationType): boolean => type !== 'hands_over' && type !== 'offers_times';

export const evalDraftOf = (one: AgentEval | undefined): EvalDraft => ({
  text: one?.text ?? '',
  expects: one ? one.expects.map(({ type, value = '' }) => ({ key: newKey(), type, value })) : [newExpectation()],
});

type EvalFaults = { readonly text?: true; readonly expects?: true };

/** Pure. */
export function faultsOfEval({ text, expects }: EvalDraft): EvalFaults {
  const lacks = expects.some(({ type, value }) => needsValue(type) && value.trim() === '');
  const isTextWrong = text.trim() === '' || [...text.trim()].length > longestEvalText;
  return { ...(isTextWrong && { text: true }), ...(lacks && { expects: true }) };
}

/** What is sent of it. Pure. */
export const bodyOfEval = ({ text, expects }: EvalDraft): EvalBody => ({
  text: text.trim(),
  expects: expects.map(({ type, value }) => ({ type, ...(needsValue(type) && { value: value.trim() }) })),
});

type Turn = Pick<ReplayedTurn, 'text' | 'before'>;

/**
 * An eval that expects what was answered: the same documents, free times, or a person. `earlier`: the turns before it, the
 * oldest first. Pure.
 */
export function evalOfTurn({ text, before }: Turn, earlier: readonly Turn[]): EvalBody {
  const said = earlier.flatMap((turn) => [
    { from: 'lead' as const, text: turn.text },
    { from: 'store' as const, text: turn.before.text ?? '' },
  ]);
  const documents = before.passages.filter((title) => [...title].length <= longestExpectation);
  const expects: Expectation[] = [
    ...documents.map((value) => ({ type: 'from_document' as const, value })),
    ...(before.offers_times ? [{ type: 'offers_times' as const }] : []),
    ...(before.action === 'hand_over' ? [{ type: 'hands_over' as const }] : []),
  ];
  return {
    // The newest, as the AI reads it.
    text: [...text].slice(-longestEvalText).join('').trim(),
    conversation: said
      .map((line) => ({ ...line, text: [...line.text].slice(0, longestLine).join('').trim() }))
      .filter((line) => line.text !== '')
      .slice(-mostLines),
    expects: expects.slice(0, mostExpectations),
  };
}

/** Whether a run asked the agent as it is now. Pure. */
export const isRunOf = ({ agent }: Pick<AgentEvalRun, 'agent'>, now: Required<AgentTrial>): boolean =>
  (Object.keys(agent) as (keyof AgentTrial)[]).every(
    (member) => JSON.stringify(agent[member]) === JSON.stringify(now[member]),
  );
