import type { AgentSelection, EffectNames, HandoverReason, SilentReason } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Asked } from '../models/ask-model.ts';
import { introductionTo, type Speaker } from '../models/introduction.ts';
import type { Decision, ModelRequest } from '../models/model.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { longestReply } from '../models/reply-text.ts';
import { isAsked } from '../tools/hold-times.ts';
import type { OfferRow } from '../tools/offer.repository.ts';
import { offerList } from '../tools/said-by-server.ts';
import type { NewStep } from '../tools/step.repository.ts';
import type { NewCall } from '../tools/step.ts';
import type { Decided } from './attempt.repository.ts';
import { shortened } from './burst.ts';
import type { TurnRow } from './turn.ts';

/** A turn keeps no more agents that were not chosen. */
const mostConsidered = 20;

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

/** What a turn without an agent and a model records. */
const undecided = {
  ...{ action_reason: null, reply: null, agent_id: null, agent_name: null, agent_reason: null },
  ...{ considered: [], passages: [], model: null, latency_ms: null },
} as const;

export const silentOutcome = (answered_to: TurnRow['answered_to'], reason: SilentReason): Outcome => ({
  decided: { ...undecided, answered_to, action: 'silent', action_reason: reason },
});

/**
 * Ends a turn before an agent is chosen. An appointment that its tools have changed is told to the lead, and a person goes on.
 */
export function stoppedOutcome(
  turn: TurnRow,
  answeredTo: Date,
  reason: SilentReason,
  before: Before,
  text: string,
): Outcome {
  if (before.confirmed.length === 0 || isUntold.has(reason)) return silentOutcome(answeredTo, reason);
  const { agent_id, agent_name, agent_reason, considered, passages, model, latency_ms } = turn;
  const known = { agent_id, agent_name, agent_reason, considered, passages, model, latency_ms };
  return handOverOutcome({ ...undecided, ...known, answered_to: answeredTo }, 'interrupted', before, text);
}

/** The lead wants nothing, or a person has the conversation: the event tells the team. */
const isUntold: ReadonlySet<SilentReason> = new Set(['ai_paused', 'lead_opted_out', 'lead_not_found']);

/** What a turn records when its agent is chosen, whatever is decided then. */
export type Chosen = Omit<Decided, 'action'>;

export const chosenOf = (
  { agent, reason, considered }: AgentSelection & { readonly agent: NonNullable<AgentSelection['agent']> },
  { answered_to, latency_ms }: Pick<TurnRow, 'answered_to' | 'latency_ms'>,
): Chosen => ({
  ...{ ...undecided, answered_to, latency_ms },
  ...{ agent_id: agent.id, agent_name: agent.name, agent_reason: reason },
  considered: keptAgents(considered),
});

/** What the server says before a text: who writes, if that is new to the lead, and what the tools have changed, in words. */
export type Before = { readonly speaker: Speaker; readonly confirmed: readonly string[] };

/** A person must answer, and the lead is told so. */
export const handOverOutcome = (chosen: Chosen, reason: HandoverReason, before: Before, text: string): Outcome => ({
  decided: { ...chosen, action: 'hand_over', action_reason: reason, reply: joined(before, text) },
});

export const replyOutcome = (chosen: Chosen, before: Before, text: string, after = ''): Outcome => ({
  decided: { ...chosen, action: 'reply', reply: joined(before, text, after) },
});

/** What the server adds to an answer of the model. */
type Additions = {
  readonly before: Before;
  /** The offers that the reply names. */
  readonly told: readonly OfferRow[];
  readonly reader: Parameters<typeof offerList>[1];
  /** The effects for which a person is asked. */
  readonly asksFor: EffectNames;
};

/**
 * What is recorded of an answer of the model. `n`: the number of its call in the turn. `wanted`: the tool calls that it asks
 * for, checked.
 */
export function outcomeOf(
  chosen: Chosen,
  request: ModelRequest,
  {
    decision,
    model,
    latencyMs,
    settle,
    n,
    wanted,
  }: Asked & { readonly n: number; readonly wanted: readonly NewCall[] },
  { before, told, reader, asksFor }: Additions,
): Outcome {
  const latency_ms = (chosen.latency_ms ?? 0) + latencyMs;
  const base = { ...chosen, passages: keptPassages(request, decision), model, latency_ms };
  const step = { n, action: decision.action, calls: [] };
  const asked = { step, ...(settle && { settle }) };
  switch (decision.action) {
    case 'use_tools': {
      if (wanted.some((call) => isAsked(call, asksFor))) {
        const kept = wanted.map((call) =>
          call.output !== null || isAsked(call, asksFor) ? call : { ...call, output: { error: 'handed_over' } },
        );
        const { confirmsFirst } = phrases[languageOf(reader.language)];
        const handedOver = handOverOutcome(base, 'needs_confirmation', before, confirmsFirst);
        return { ...handedOver, ...asked, step: { ...step, calls: kept } };
      }
      return { decided: { ...base, action: null }, ...asked, step: { ...step, calls: wanted } };
    }
    case 'hand_over':
      return { ...handOverOutcome(base, decision.reason, before, decision.text), ...asked };
    case 'silent':
      // What was done is told in any case.
      return before.confirmed.length > 0
        ? { ...replyOutcome(base, before, ''), ...asked }
        : { decided: { ...base, action: 'silent', action_reason: decision.reason }, ...asked };
    case 'reply': {
      const replied = replyOutcome(base, before, decision.text, offerList(told, reader));
      return { ...replied, ...asked, offers: told.map(({ id }) => id) };
    }
  }
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
function joined({ speaker, confirmed }: Before, text: string, after = ''): string {
  const before = [...introductionTo(text, speaker), ...confirmed];
  const left = longestReply - [...before, after].join('\n\n').length - 4;
  return [...before, shortened(text, left), after].filter((part) => part !== '').join('\n\n');
}
