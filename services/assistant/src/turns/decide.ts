import { type AssistantSettings, type SilentReason, searchKnowledge, selectAgent } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { Attempt } from '@mostrador/kit/step/retry-engine';
import type { Dependencies } from '../dependencies.ts';
import { askModel } from '../models/ask-model.ts';
import { newCall } from '../models/call-model.ts';
import { candidatesOf, nextOf } from '../models/choose-model.ts';
import type { ModelRequest, ToolResult } from '../models/model.ts';
import { type ConnectionRow, findConnections } from '../models/model-connection.repository.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { limitsOf } from '../prices/budget.ts';
import type { Use } from '../prices/model-call.repository.ts';
import { type CallReservation, reserveCallOf } from '../prices/model-day.repository.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { checkCalls } from '../tools/check-calls.ts';
import { holdTimes } from '../tools/hold-times.ts';
import { findOffers } from '../tools/offer.repository.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { readOffering } from '../tools/read-offering.ts';
import { confirmations, offersToTell } from '../tools/said-by-server.ts';
import { countModelCalls, listResults } from '../tools/step.repository.ts';
import { toResult } from '../tools/step.ts';
import { burstOf, isFirstAnswer, linesBefore, newestOf, searchTextOf, shortened, subjectOf, textOf } from './burst.ts';
import type { Claimed } from './claim-next.ts';
import { localeOfLead } from './lead-locale.ts';
import {
  chosenOf,
  handOverOutcome,
  type Outcome,
  outcomeOf,
  replyOutcome,
  silentOutcome,
  stoppedOutcome,
} from './outcome.ts';
import { earliest, longestWaitAt } from './quiet.ts';
import { readLead } from './read-lead.ts';
import type { StepCall } from './step-call.ts';
import { countAnswersOfHour } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';
import { mostAnswersOfHour, whySilent, withoutModel } from './without-model.ts';

export const mostPassages = 5;
export const mostLines = 20;
/** What the model is given of what the lead wrote, in characters: the newest. */
export const longestText = 8_000;

type Step = { readonly scope: StoreScope; readonly call: StepCall };

/**
 * Decides what to do about what a lead wrote: chooses the agent, finds passages, and asks the model. It tells nothing and
 * uses no tool. Undefined: the attempt has lost its lease.
 */
export async function decide(
  dependencies: Dependencies,
  { scope, call }: Step,
  { turn, attempt }: Claimed,
): Promise<Outcome | undefined> {
  const { database, rpc, prices } = dependencies;
  const { storeId } = scope;
  const { settings, connections, calls, results, answered, read } = await readTurn(dependencies, { scope, call }, turn);
  const burst = read && burstOf(read.messages, turn.first_received_at);
  const isOn = settings.ai && !dependencies.isOff;
  const known = { isOn, hasModel: connections.length > 0, lead: read?.lead, hasMessages: burst !== undefined };
  const reason = whySilent(known);
  if (!read) return silentOutcome(turn.last_received_at, reason ?? 'lead_not_found');
  const answeredTo = burst?.answeredTo ?? turn.last_received_at;
  const text = textOf(burst?.messages ?? [], read.messages);
  const conversation = linesBefore(read.messages, burst?.messages ?? [], mostLines);
  const locale = localeOfLead(read.locale, text, conversation);
  const isFirst = isFirstAnswer(read.messages);
  const stopped = (why: SilentReason): Outcome => {
    const confirmed = confirmations(results, { language: locale, timezone: read.timezone });
    const speaker = { agent: turn.agent_name === null ? null : agentOf(turn.agent_name), locale, isFirst };
    return stoppedOutcome(turn, answeredTo, why, { speaker, confirmed }, phrases[languageOf(locale)].person);
  };
  if (reason || !burst) return stopped(reason ?? 'nothing_to_answer');
  const message = text === '' ? {} : { message: shortened(text, 4096) };
  const q = searchTextOf(subjectOf(text, conversation));
  const offered = offersToTell(results);
  const [{ agent, ...selection }, passages, offering, offers] = await Promise.all([
    rpc.call(selectAgent, { body: { lead_id: turn.lead_id, language: locale, ...message } }, call),
    q === '' ? [] : rpc.call(searchKnowledge, { query: { q, limit: mostPassages } }, call).then(({ data }) => data),
    readOffering(dependencies, call, { leadId: turn.lead_id, ...read, answeredTo }),
    offered.length === 0 ? [] : database.lookUp(scope, (sql) => findOffers(sql, storeId, turn.lead_id, offered)),
  ]);
  if (!agent) return stopped('no_agent');

  const chosen = chosenOf({ agent, ...selection }, { answered_to: answeredTo, latency_ms: turn.latency_ms });
  const reader = { language: agent.language ?? locale, timezone: read.timezone };
  const { pleaseWrite, person } = phrases[languageOf(reader.language)];
  const speaker = { agent, locale, isFirst };
  const before = { speaker, confirmed: confirmations(results, reader) };
  const simple = withoutModel({ text, conversation, pleaseWrite, calls, answered });
  if (simple === 'please_write') return replyOutcome(chosen, before, pleaseWrite);
  if (simple) return handOverOutcome(chosen, simple, before, person);

  const candidates = candidatesOf(connections, agent.model);
  const connection = nextOf(candidates, turn.model_failures) ?? (candidates[0] as ConnectionRow);
  const reserved = await reserve(dependencies, scope, attempt, { settings, connection, agentId: agent.id });
  if (reserved === 'lease_lost') return undefined;
  if ('refused' in reserved) {
    const settle: Outcome['settle'] = (sql) => reachBudget(sql, storeId, prices, reserved);
    return { ...handOverOutcome(chosen, 'budget_reached', before, person), settle };
  }
  const request: ModelRequest = {
    ...{ ...speaker, timezone: read.timezone, now: new Date().toISOString() },
    ...{ text: newestOf(text, longestText), passages, conversation },
    ...{ tools: offeredTools(offering, agent.tools), results },
  };
  const asked = await askModel(dependencies, request, {
    ...{ scope, turnId: turn.id, agentId: agent.id, candidates, connection, reserved },
    ...{ failures: turn.model_failures, deadline: call.deadline },
    // A lead who writes on does not put the hand-over off for ever.
    waitsSince: earliest(answeredTo, longestWaitAt(turn, settings)),
  });
  const told = offered.flatMap((id) => offers.find((offer) => offer.id === id) ?? []);
  const { ai_confirm: asksFor } = settings;
  const { decision } = asked;
  const wanted =
    decision.action === 'use_tools'
      ? await holdTimes(dependencies, call, checkCalls(request, decision.calls), { turn, asksFor, offering })
      : [];
  return outcomeOf(chosen, request, { ...asked, n: calls + 1, wanted }, { before, told, reader, asksFor });
}

/** The agent that used the tools of a turn. What it discloses is not known any more. */
const agentOf = (name: string) => ({ name, language: null, disclosure: true });

/** What is known of the turn, its store and its lead before an agent is chosen. */
async function readTurn({ database, rpc }: Dependencies, { scope, call }: Step, turn: TurnRow) {
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
  return { settings, connections, calls, results, answered, read };
}

type Calling = {
  readonly settings: AssistantSettings;
  readonly connection: ConnectionRow;
  readonly agentId: string;
};

/** Takes the call, its money and its tokens before it is made, so that a crash costs these rather than the limits of the day. */
async function reserve(
  { database, prices }: Dependencies,
  scope: StoreScope,
  attempt: Attempt,
  { settings, connection, agentId }: Calling,
): Promise<CallReservation | 'lease_lost' | { readonly refused: Use }> {
  const { storeId } = scope;
  const limits = limitsOf(settings);
  const call = newCall(prices, connection, { agentId, turnId: attempt.id });
  const { id: callId, micros, tokens } = call;
  const [{ holdsLease, day }] = await database.write(scope, async (sql) => {
    const reserved = await reserveCallOf(sql, attempt, limits, call);
    if (reserved[0].mayReach) await reachBudget(sql, storeId, prices);
    return reserved;
  });
  if (!holdsLease) return 'lease_lost';
  return day === null ? { refused: { micros, tokens } } : { day, micros, tokens, limits, callId };
}

/** What the tools of this turn, and of the superseded ones before it, have given. */
async function readResults(
  sql: Parameters<typeof listResults>[0],
  storeId: string,
  { id, continues, answered_to }: TurnRow,
): Promise<ToolResult[]> {
  if (!continues && !answered_to) return [];
  const rows = await listResults(sql, storeId, id);
  return rows.map(toResult);
}
