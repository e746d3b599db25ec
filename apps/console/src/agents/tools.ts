import type { components } from '../generated/platform.ts';
import { m } from '../paraglide/messages.js';

type Schemas = components['schemas'];
export type ToolName = Schemas['ToolName'];
export type EffectName = Schemas['EffectName'];

const words: Readonly<Record<ToolName, () => string>> = {
  find_times: m.agents_tool_find_times,
  book: m.agents_tool_book,
  move: m.agents_tool_move,
  cancel: m.agents_tool_cancel,
  schedule_followup: m.agents_tool_followup,
  update_lead: m.agents_tool_update_lead,
};
/** What a tool would do, such as “Book an appointment”. One of a later version is shown by its name. */
export const wordsOfUse = (tool: string): string => words[tool as ToolName]?.() ?? tool;

/** The tools that change something. */
export const effectNames: readonly EffectName[] = ['book', 'move', 'cancel', 'schedule_followup', 'update_lead'];
export const toolNames: readonly ToolName[] = ['find_times', ...effectNames];

/** The chosen tools with one added or taken away, in the order of all. Pure. */
export const toggled = <Name extends ToolName>(all: readonly Name[], chosen: readonly Name[], one: Name): Name[] =>
  all.filter((name) => chosen.includes(name) !== (name === one));

/** What an agent combines. It always reads what customers write, and always knows their conversation. */
export type Combination = {
  /** Whether it also knows the appointments of the customer. */
  readonly knowsAppointments: boolean;
  /** What it changes outside of the conversation. */
  readonly effects: readonly EffectName[];
  /** Of these: what a person confirms. */
  readonly confirmed: readonly EffectName[];
};

/** What an agent with these tools combines, in a store where a person confirms these effects. Pure. */
export function combinationOf(tools: readonly ToolName[], confirm: readonly EffectName[]): Combination {
  const effects = effectNames.filter((name) => tools.includes(name));
  return {
    knowsAppointments: effects.includes('move') || effects.includes('cancel'),
    effects,
    confirmed: effects.filter((name) => confirm.includes(name)),
  };
}
