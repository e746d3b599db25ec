import { type HandoverReason, type SilentReason, searchKnowledge, selectAgent } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { Dependencies } from '../dependencies.ts';
import { type Asked, askModel } from '../models/ask-model.ts';
import type { ModelRequest } from '../models/model.ts';
import { findConnections } from '../models/model-connection.repository.ts';
import { reserveCall } from '../models/model-day.repository.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { type Decided, holdsLease } from './attempt.repository.ts';
import { burstOf, linesBefore, searchTextOf, shortened, textOf } from './burst.ts';
import type { Claimed } from './claim-next.ts';
import { readLead } from './read-lead.ts';
import type { StepCall } from './step-call.ts';
import type { TurnRow } from './turn.ts';

const mostPassages = 5;
const mostLines = 20;

/**
 * Decides what to tell a lead: chooses the agent, finds passages, and asks the model. It tells nothing. Undefined: the
 * attempt has lost its lease.
 */
export async function decide(
  dependencies: Dependencies,
  { scope, call }: { readonly scope: StoreScope; readonly call: StepCall },
  { turn, attempt }: Claimed,
): Promise<Decided | undefined> {
  const { database, rpc } = dependencies;
  const { storeId } = scope;
  const [settings, connections] = await database.read(scope, (sql) =>
    Promise.all([findSettings(sql, storeId), findConnections(sql, storeId)]),
  );
  const nothing = silentSince(turn.last_received_at);
  if (!settings.ai) return nothing('switched_off');
  if (connections.length === 0) return nothing('no_model');
  const read = await readLead(rpc, call, turn.lead_id);
  if (!read) return nothing('lead_not_found');
  const burst = burstOf(read.messages, turn.first_received_at);
  if (!burst) return nothing('nothing_to_answer');
  const silent = silentSince(burst.answeredTo);
  if (read.lead.ai_paused_until) return silent('ai_paused');
  if (read.lead.opted_out_at) return silent('lead_opted_out');

  const text = textOf(burst.messages);
  const message = text === '' ? {} : { message: shortened(text, 4096) };
  const { agent, reason } = await rpc.call(selectAgent, { body: { lead_id: turn.lead_id, ...message } }, call);
  if (!agent) return silent('no_agent');
  const chosen = {
    ...{ ...undecided, answered_to: burst.answeredTo },
    ...{ agent_id: agent.id, agent_name: agent.name, agent_reason: reason },
  };
  const { person } = phrases[languageOf(agent.language ?? read.locale)];
  const handOver = (why: HandoverReason): Decided => ({
    ...{ ...chosen, action: 'hand_over', action_reason: why, reply: person },
  });
  if (text === '') return handOver('no_text');

  const q = searchTextOf(text);
  const found = q === '' ? [] : (await rpc.call(searchKnowledge, { query: { q, limit: mostPassages } }, call)).data;
  // Before the call, so that a crash costs a call rather than the limit of the day.
  const reserved = await database.write(scope, async (sql) =>
    (await holdsLease(sql, attempt)) ? await reserveCall(sql, storeId, settings.ai_daily_calls) : undefined,
  );
  if (reserved === undefined) return undefined;
  if (!reserved) return handOver('budget_reached');
  const isFirst = !read.messages.some(({ source }) => source === 'ai');
  const request: ModelRequest = {
    ...{ agent, locale: read.locale, timezone: read.timezone, now: new Date().toISOString() },
    ...{ text, passages: found, conversation: linesBefore(read.messages, burst.messages, mostLines), isFirst },
    ...{ tools: [], results: [] },
  };
  const asked = await askModel(dependencies, request, {
    ...{ storeId, connections, agentModel: agent.model, attempt: attempt.number, deadline: call.deadline },
    writtenAt: burst.answeredTo,
  });
  return { ...chosen, ...decidedBy(asked, request) };
}

function decidedBy(
  { decision, model, latencyMs }: Asked,
  request: ModelRequest,
): Pick<Decided, 'action' | 'action_reason' | 'reply' | 'passages' | 'model' | 'latency_ms'> {
  if (decision.action === 'use_tools') throw new Error('the model asks for a tool that it was not offered');
  const used = decision.action === 'reply' ? decision.usedPassages : [];
  return {
    action: decision.action,
    action_reason: decision.action === 'reply' ? null : decision.reason,
    reply: decision.action === 'silent' ? null : shortened(decision.text, 4096),
    passages: request.passages.map(({ document: { id, title } }, index) => ({
      ...{ document_id: id, title, used: used.includes(index) },
    })),
    ...{ model, latency_ms: latencyMs },
  };
}

/** What a turn without an agent and a model records. */
const undecided = {
  ...{ action_reason: null, reply: null, agent_id: null, agent_name: null, agent_reason: null },
  ...{ passages: [], model: null, latency_ms: null },
} as const;

const silentSince =
  (answered_to: TurnRow['answered_to']) =>
  (reason: SilentReason): Decided => ({ ...undecided, answered_to, action: 'silent', action_reason: reason });
