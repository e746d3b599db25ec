import type { Explanation } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

const handovers: Readonly<Record<NonNullable<Explanation['handover_reason']>, () => string>> = {
  asked_for_person: m.inbox_handover_asked,
  nothing_found: m.inbox_handover_nothing_found,
  agent_decided: m.inbox_handover_agent,
  no_text: m.inbox_handover_no_text,
  budget_reached: m.inbox_handover_budget,
  too_many_answers: m.inbox_handover_answers,
  model_refused: m.inbox_handover_refused,
  model_unavailable: m.inbox_handover_unavailable,
  too_many_steps: m.inbox_handover_steps,
  needs_confirmation: m.inbox_handover_confirmation,
  interrupted: m.inbox_handover_interrupted,
};
/** Why a person must answer. A reason of a later version is shown as it is. */
export const wordsOfHandover = (reason: NonNullable<Explanation['handover_reason']>): string =>
  handovers[reason]?.() ?? reason;

const tools: Readonly<Record<string, () => string>> = {
  find_times: m.inbox_tool_find_times,
  book: m.inbox_tool_book,
  move: m.inbox_tool_move,
  cancel: m.inbox_tool_cancel,
  schedule_followup: m.inbox_tool_followup,
  update_lead: m.inbox_tool_update_lead,
};
/** What a tool does. One of a later version is shown by its name. */
export const wordsOfTool = (tool: string): string => tools[tool]?.() ?? tool;
