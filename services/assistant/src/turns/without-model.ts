import type { HandoverReason, SilentReason } from '@mostrador/contracts';
import type { ModelRequest } from '../models/model.ts';
import { mostModelCalls } from '../tools/step.ts';

// What is decided without a model. Pure.

/** A bot that answers each answer reaches it, and a person does not. */
export const mostAnswersOfHour = 20;

type Known = {
  readonly isOn: boolean;
  readonly hasModel: boolean;
  /** Undefined: crm has no such lead. */
  readonly lead: { readonly ai_paused_until: string | null; readonly opted_out_at?: string | null } | undefined;
  readonly hasMessages: boolean;
};

/** Why the AI does not answer. Undefined: it may. */
export function whySilent({ isOn, hasModel, lead, hasMessages }: Known): SilentReason | undefined {
  if (!isOn) return 'switched_off';
  if (!hasModel) return 'no_model';
  if (!lead) return 'lead_not_found';
  if (!hasMessages) return 'nothing_to_answer';
  if (lead.ai_paused_until) return 'ai_paused';
  if (lead.opted_out_at) return 'lead_opted_out';
  return undefined;
}

type Asked = {
  /** What the lead wrote, together. Empty: nothing that can be read. */
  readonly text: string;
  readonly conversation: ModelRequest['conversation'];
  /** By which the lead is asked to write. */
  readonly pleaseWrite: string;
  /** Calls to the model of this turn, and answers to the lead within an hour. */
  readonly calls: number;
  readonly answered: number;
};

/** `please_write`: the lead is asked once to write. Undefined: the model is asked. */
export function withoutModel({
  text,
  conversation,
  pleaseWrite,
  calls,
  answered,
}: Asked): HandoverReason | 'please_write' | undefined {
  if (text === '') {
    // Who cannot write needs a person.
    const wasAsked = conversation.findLast(({ from }) => from === 'store')?.text.endsWith(pleaseWrite);
    return wasAsked ? 'no_text' : 'please_write';
  }
  if (calls >= mostModelCalls) return 'too_many_steps';
  if (answered >= mostAnswersOfHour) return 'too_many_answers';
  return undefined;
}
