import type { Explanation, HandoverReason, MadeDecision, SilentReason, TurnOutcome } from '@mostrador/contracts';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { ProviderFailures } from '../models/choose-model.ts';

/** A passage that the model was given, as a turn keeps it. */
export type KeptPassage = { readonly document_id: string; readonly title: string; readonly used: boolean };

/** An agent of the selection, as a turn keeps it: without what the lead wrote. */
export type KeptAgent = Explanation['considered'][number];

/** A row of the table `ai_turns`. */
export type TurnRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly state: 'open' | TurnOutcome;
  readonly reason: SilentReason | HandoverReason | null;
  readonly first_received_at: Date;
  readonly last_received_at: Date;
  /** The first message that came while the turn was decided or told. */
  readonly next_received_at: Date | null;
  readonly answered_to: Date | null;
  readonly action: 'reply' | 'silent' | 'hand_over' | null;
  readonly action_reason: SilentReason | HandoverReason | null;
  readonly reply: string | null;
  readonly agent_id: string | null;
  readonly agent_name: string | null;
  readonly agent_reason: string | null;
  /** The agents of the selection, in its order. */
  readonly considered: readonly KeptAgent[];
  readonly passages: readonly KeptPassage[];
  readonly model: string | null;
  readonly latency_ms: number | null;
  /** Of all its calls to models. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** In millionths. Null: the price of none is known. */
  readonly cost_micros: number | null;
  readonly next_attempt_at: Date | null;
  readonly attempts: number;
  readonly error_code: string | null;
  /** How providers have failed since the last decision. */
  readonly model_failures: ProviderFailures;
  readonly lease_until: Date | null;
  /** The superseded turn before, whose tool results this one keeps. */
  readonly continues: string | null;
  /** The message that tells what a person has confirmed. */
  readonly confirmation_id: string | null;
  /** The lead about whom it has asked a person: its own, or the one that was merged with it. */
  readonly asked_lead_id: string | null;
  /** What the person has decided, when, and who it was. */
  readonly decision: MadeDecision['decision'] | null;
  readonly decided_at: Date | null;
  readonly decided_by: MadeDecision['by'];
};

/** The wake-up of the workflow that answers a lead. */
export const wakeReply = (leadId: string, signal: 'received' | 'overdue'): OutboxEntry =>
  wakeWorkflow('reply', leadId, signal, leadId);

/**
 * The public event of a turn that has ended. Superseded turns have none: the next one answers. `appointmentIds`: the
 * appointments that its tools have changed.
 */
export function turnEvents(
  { id, lead_id, state, reason, agent_id }: TurnRow,
  appointmentIds: readonly string[],
): OutboxEntry[] {
  const about = { kind: 'feed', entityId: lead_id, etag: null, object: undefined } as const;
  switch (state) {
    case 'sent':
      return [{ ...about, type: 'assistant.replied', data: { lead_id, message_id: id, agent_id: agent_id as string } }];
    case 'silent': {
      const data = { lead_id, reason: reason as SilentReason, appointment_ids: [...appointmentIds] };
      return [{ ...about, type: 'assistant.silent', data }];
    }
    case 'handed_over': {
      const data = { lead_id, message_id: id, reason: reason as HandoverReason };
      return [{ ...about, type: 'assistant.handed_over', data }];
    }
    default:
      return [];
  }
}
