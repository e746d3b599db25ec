import {
  type AgentSelection,
  type HandoverReason,
  type SilentReason,
  searchKnowledge,
  selectAgent,
} from '@mostrador/contracts';
import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { Dependencies } from '../dependencies.ts';
import { askModel } from '../models/ask-model.ts';
import { modelName } from '../models/call-model.ts';
import { candidatesOf, nextOf } from '../models/choose-model.ts';
import type { Decision, ModelRequest, ToolResult } from '../models/model.ts';
import { type ConnectionRow, findConnections } from '../models/model-connection.repository.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { longestReply } from '../models/reply-text.ts';
import { highestCost, limitsOf } from '../prices/budget.ts';
import { markReached, reserveCallOf } from '../prices/model-day.repository.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { checkCalls } from '../tools/check-calls.ts';
import { findOffers } from '../tools/offer.repository.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { readOffering } from '../tools/read-offering.ts';
import { confirmations, offerList, offersToTell } from '../tools/said-by-server.ts';
import { countModelCalls, listResults, type NewStep } from '../tools/step.repository.ts';
import { mostModelCalls } from '../tools/step.ts';
import type { Decided } from './attempt.repository.ts';
import { burstOf, isFirstAnswer, linesBefore, newestOf, searchTextOf, shortened, textOf } from './burst.ts';
import type { Claimed } from './claim-next.ts';
import { localeOfLead } from './lead-locale.ts';
import { earliest, longestWaitAt } from './quiet.ts';
import { readLead } from './read-lead.ts';
import type { StepCall } from './step-call.ts';
import { countAnswersOfHour } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

export const mostPassages = 5;
export const mostLines = 20;
/** A turn keeps no more agents that were not chosen. */
const mostConsidered = 20;
/** What the model is given of what the lead wrote, in characters: the newest. */
export const longestText = 8_000;
/** A bot that answers each answer reaches it, and a person does not. */
const mostAnswersOfHour = 20;

/**
 * What is to be recorded. `step`: the call to the model, if one was made, with the tool calls that it asked for. `offers`:
 * those that the reply names.
 */
export type Outcome = {
  readonly decided: Decided;
  readonly step?: NewStep;
  readonly offers?: readonly string[];
  /** Counts the call to the model, or that none was left. */
  readonly settle?: (sql: TransactionSql) => Promise<unknown>;
};

/**
 * Decides what to do about what a lead wrote: chooses the agent, finds passages, and asks the model. It tells nothing and
 * uses no tool. Undefined: the attempt has lost its lease.
 */
export async function decide(
  dependencies: Dependencies,
  { scope, call }: { readonly scope: StoreScope; readonly call: StepCall },
  { turn, attempt }: Claimed,
): Promise<Outcome | undefined> {
  const { database, rpc } = dependencies;
  const { storeId } = scope;
  const [[settings, connections, calls, results, answered], read] = await Promise.all([
    database.read(scope, (sql) =>
      Promise.all([
        findSettings(sql, storeId),
        findConnections(sql, storeId),
        countModelCalls(sql, storeId, turn.id),
        readResults(sql, storeId, turn),
        countAnswersOfHour(sql, storeId, turn.lead_id, mostAnswersOfHour),
      ]),
    ),
    readLead(rpc, call, turn.lead_id),
  ]);
  const nothing = silentSince(turn.last_received_at);
  if (!settings.ai) return nothing('switched_off');
  if (connections.length === 0) return nothing('no_model');
  if (!read) return nothing('lead_not_found');
  const burst = burstOf(read.messages, turn.first_received_at);
  if (!burst) return nothing('nothing_to_answer');
  const silent = silentSince(burst.answeredTo);
  if (read.lead.ai_paused_until) return silent('ai_paused');
  if (read.lead.opted_out_at) return silent('lead_opted_out');

  const text = textOf(burst.messages);
  const message = text === '' ? {} : { message: shortened(text, 4096) };
  const q = searchTextOf(text);
  const conversation = linesBefore(read.messages, burst.messages, mostLines);
  const locale = localeOfLead(read.locale, text, conversation);
  const offered = offersToTell(results);
  const [{ agent, reason, considered }, passages, offering, offers] = await Promise.all([
    rpc.call(selectAgent, { body: { lead_id: turn.lead_id, language: locale, ...message } }, call),
    q === '' ? [] : rpc.call(searchKnowledge, { query: { q, limit: mostPassages } }, call).then(({ data }) => data),
    readOffering(dependencies, call, { leadId: turn.lead_id, ...read, answeredTo: burst.answeredTo }),
    offered.length === 0 ? [] : database.lookUp(scope, (sql) => findOffers(sql, storeId, turn.lead_id, offered)),
  ]);
  if (!agent) return silent('no_agent');
  const chosen = {
    ...{ ...undecided, answered_to: burst.answeredTo, latency_ms: turn.latency_ms },
    ...{ agent_id: agent.id, agent_name: agent.name, agent_reason: reason },
    considered: keptAgents(considered),
  };
  const reader = { language: agent.language ?? locale, timezone: read.timezone };
  const say = phrases[languageOf(reader.language)];
  const confirmed = confirmations(results, reader);
  const handOver = (why: HandoverReason): Outcome => ({
    decided: { ...chosen, action: 'hand_over', action_reason: why, reply: joined(confirmed, say.person) },
  });
  if (text === '') {
    // Once. Who cannot write needs a person.
    const wasAsked = conversation.findLast(({ from }) => from === 'store')?.text === say.pleaseWrite;
    if (wasAsked) return handOver('no_text');
    return { decided: { ...chosen, action: 'reply', action_reason: null, reply: say.pleaseWrite } };
  }
  if (calls >= mostModelCalls) return handOver('too_many_steps');
  if (answered >= mostAnswersOfHour) return handOver('too_many_answers');

  const tools = offeredTools(offering);
  // Before the call, so that a crash costs a call and its money rather than the limits of the day.
  const candidates = candidatesOf(connections, agent.model);
  const connection = nextOf(candidates, turn.model_failures) ?? (candidates[0] as ConnectionRow);
  const micros = highestCost(dependencies.prices, modelName(connection), new Date());
  const [{ holdsLease, day }] = await database.execute(scope, (sql) =>
    reserveCallOf(sql, attempt, limitsOf(settings), micros),
  );
  if (!holdsLease) return undefined;
  if (day === null) return { ...handOver('budget_reached'), settle: (sql) => markReached(sql, storeId) };
  const isFirst = isFirstAnswer(read.messages);
  const request: ModelRequest = {
    ...{ agent, locale, timezone: read.timezone, now: new Date().toISOString() },
    ...{ text: newestOf(text, longestText), passages, conversation, isFirst, tools, results },
  };
  const { decision, model, latencyMs, settle } = await askModel(dependencies, request, {
    ...{ scope, turnId: turn.id, agentId: agent.id, candidates, connection, reserved: { day, micros } },
    ...{ failures: turn.model_failures, deadline: call.deadline },
    // A lead who writes on does not put the hand-over off for ever.
    waitsSince: earliest(burst.answeredTo, longestWaitAt(turn, settings)),
  });
  const latency_ms = (turn.latency_ms ?? 0) + latencyMs;
  const base = { ...chosen, passages: keptPassages(request, decision), model, latency_ms };
  const asked = { step: { n: calls + 1, action: decision.action, calls: [] }, ...(settle && { settle }) };
  switch (decision.action) {
    case 'use_tools':
      return {
        decided: { ...base, action: null },
        ...{ ...asked, step: { ...asked.step, calls: checkCalls(tools, decision.calls) } },
      };
    case 'hand_over':
      return {
        decided: {
          ...base,
          action: 'hand_over',
          action_reason: decision.reason,
          reply: joined(confirmed, decision.text),
        },
        ...asked,
      };
    case 'silent':
      // What was done is told in any case.
      return confirmed.length > 0
        ? { decided: { ...base, action: 'reply', reply: joined(confirmed, '') }, ...asked }
        : { decided: { ...base, action: 'silent', action_reason: decision.reason }, ...asked };
    case 'reply': {
      const told = offered.flatMap((id) => offers.find((offer) => offer.id === id) ?? []);
      const reply = joined(confirmed, decision.text, offerList(told, reader));
      return { decided: { ...base, action: 'reply', reply }, ...asked, offers: told.map(({ id }) => id) };
    }
  }
}

/** What the tools of this turn, and of the superseded ones before it, have given. */
async function readResults(
  sql: Parameters<typeof listResults>[0],
  storeId: string,
  { id, continues, answered_to }: TurnRow,
): Promise<ToolResult[]> {
  if (!continues && !answered_to) return [];
  const rows = await listResults(sql, storeId, id);
  return rows.map(({ call_id, tool, input, output }) => ({ id: call_id, name: tool, input, output }));
}

/** Nothing of the lead: what a condition was compared with is left out. */
const keptAgents = (considered: AgentSelection['considered']): Decided['considered'] =>
  considered.slice(0, mostConsidered).map(({ agent_id, name, outcome, failed_condition: failed }) => ({
    ...{ agent_id, name, outcome },
    failed_condition: failed && {
      ...{ condition_type: failed.condition_type, operator: failed.operator, value: failed.value },
    },
  }));

function keptPassages({ passages }: ModelRequest, decision: Decision): Decided['passages'] {
  const used = decision.action === 'reply' ? decision.usedPassages : [];
  return passages.map(({ document: { id, title } }, index) => ({
    ...{ document_id: id, title, used: used.includes(index) },
  }));
}

/** What the server says, the words of the model, and the offers. Only the words of the model are cut. */
function joined(before: readonly string[], text: string, after = ''): string {
  const left = longestReply - [...before, after].join('\n\n').length - 4;
  return [...before, shortened(text, left), after].filter((part) => part !== '').join('\n\n');
}

/** What a turn without an agent and a model records. */
const undecided = {
  ...{ action_reason: null, reply: null, agent_id: null, agent_name: null, agent_reason: null },
  ...{ considered: [], passages: [], model: null, latency_ms: null },
} as const;

const silentSince =
  (answered_to: TurnRow['answered_to']) =>
  (reason: SilentReason): Outcome => ({
    decided: { ...undecided, answered_to, action: 'silent', action_reason: reason },
  });
