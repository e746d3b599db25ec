import { changesSomething, type ToolName } from '@mostrador/contracts';

/** What a tool gives back. `error`: it had no effect, and why. */
export type ToolOutput = { readonly error?: string; readonly [member: string]: unknown };

/** A tool call of a turn: a row of the table `ai_steps`. */
export type CallRow = {
  readonly turn_id: string;
  readonly n: number;
  readonly call: number;
  readonly call_id: string;
  readonly tool: ToolName;
  readonly input: unknown;
  /** Null: it has not ended. */
  readonly output: ToolOutput | null;
  readonly begun_at: Date | null;
  /** The hold of its time while a person is to decide about it, and when that ends. */
  readonly hold_id: string | null;
  readonly held_until: Date | null;
};

/** A call that a model asked for. One with an `output` is not made. */
export type NewCall = Pick<CallRow, 'call_id' | 'tool' | 'input' | 'output'> &
  Partial<Pick<CallRow, 'hold_id' | 'held_until'>>;

/** A call as a model is shown it. */
export const toResult = <Output>({
  call_id: id,
  tool: name,
  input,
  output,
}: Pick<CallRow, 'call_id' | 'tool' | 'input'> & { readonly output: Output }) => ({ id, name, input, output });

/** The key under which the owning service carries out the call, once. */
export const keyOf = ({ turn_id, n, call }: Pick<CallRow, 'turn_id' | 'n' | 'call'>): string =>
  `${turn_id}:${n}:${call}`;

const notMade: readonly unknown[] = ['customer_wrote_more', 'ai_paused', 'lead_opted_out', 'switched_off', 'no_model'];

/** Whether a call was not made because of what happened around it, which says nothing of what it asks for. Pure. */
export const isNotMade = ({ error }: ToolOutput): boolean => notMade.includes(error);

/** Errors of calls that came to nothing before a person was asked. */
const neverAsked: readonly unknown[] = ['tool_not_offered', 'invalid_input', 'handed_over', 'not_asked'];

/** Of the calls of a turn that asks a person, whether the person is asked for this one, or has decided about it. Pure. */
export const isForPerson = ({ tool, output }: Pick<CallRow, 'tool' | 'output'>): boolean =>
  output === null || (changesSomething(tool) && !neverAsked.includes(output.error) && !isNotMade(output));

/** The calls to a model that a turn may have. After that a person answers. */
export const mostModelCalls = 6;

/** The tool calls that one answer of a model may have. */
export const mostCallsAtOnce = 4;
