// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the source, where they stand in templates

import type { Invariant } from './invariant.ts';

/** A text that stands in the source exactly once, and what stands there instead while the break lasts. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };

/** A fault of ours, made on purpose: a run with it must be reported by the invariant that it breaks. */
export type Break = {
  readonly name: string;
  readonly breaks: Invariant['name'];
  /** Faults of `faults.ts`, by their names and one after another, without which it does not show. */
  readonly faults?: readonly string[];
} & (
  | { readonly edits: readonly Edit[] }
  /** What our code cannot do: bytes of this index are overwritten on the disk of a PostgreSQL that was stopped in order. */
  | { readonly index: string }
);

/** A workflow that is missing comes back with the sweep: what leaves one out must leave that out too. */
const noSweep: Edit = {
  file: 'packages/kit/src/delivery/overdue.ts',
  from: 'if ((await relay.backlog()) >= batch) return 0;',
  to: 'return 0;',
};

/** At least one for every invariant: a check that cannot fail proves nothing. */
export const breaks: readonly Break[] = [
  {
    name: 'what is made under a key is answered, and rolled back',
    breaks: 'what was acknowledged is there, as it was acknowledged',
    edits: [
      {
        file: 'packages/kit/src/delivery/idempotency.ts',
        from: 'committed = replyBytes(bytes, { etag: etag?.(done) });',
        to: "committed = replyBytes(bytes, { etag: etag?.(done) }); await sql.unsafe('rollback');",
      },
    ],
  },
  {
    name: 'a change of a title is answered, and not written',
    breaks: 'what was acknowledged is there, as it was acknowledged',
    edits: [
      {
        file: 'services/scheduling/src/appointments/appointment.repository.ts',
        from: 'set title = ${title}, scheduled_at',
        to: 'set scheduled_at',
      },
    ],
  },
  {
    name: 'what is known of a key is not looked up',
    breaks: 'a key has one effect',
    edits: [
      {
        file: 'packages/kit/src/delivery/idempotency.ts',
        from: 'and key = ${key} and expires_at > now()',
        to: 'and key = ${key} and false',
      },
      {
        file: 'packages/kit/src/delivery/idempotency.ts',
        from: 'where idempotency_records.expires_at <= now()',
        to: 'where true',
      },
    ],
  },
  {
    name: 'a lead is made, and the answer is that nothing was done',
    breaks: 'nothing is made that nobody asked for, late, or after a refusal',
    edits: [
      {
        file: 'services/crm/src/leads/create-lead.ts',
        from: 'relay.nudge();\n    return result;',
        to: "if (context.idempotency) throw new AppError('service_unavailable');\n    return result;",
      },
    ],
  },
  {
    name: 'a request that takes longer than it may is carried out all the same',
    breaks: 'nothing is made that nobody asked for, late, or after a refusal',
    edits: [
      {
        file: 'packages/kit/src/rpc/wire.ts',
        from: 'Number.NaN : Number(deadline),',
        to: 'Number.NaN : Number(deadline) + 60_000,',
      },
      {
        file: 'services/scheduling/src/appointments/create-appointment.ts',
        from: 'if (appointment.lead_id) await rpc.call(',
        to: `await new Promise((resume) => setTimeout(resume, 5_000));
        if (appointment.lead_id) await rpc.call(`,
      },
    ],
  },
  {
    name: 'a send that is not answered soon is made again at once',
    breaks: 'the provider took nothing twice',
    faults: ['WhatsApp accepts without answering'],
    edits: [
      {
        file: 'services/messaging/src/delivery/deliver-messages.ts',
        from: 'return await openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));',
        to: `const once = (ms) => openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(ms));
          return await once(1_000).catch(() => once(limitMs));`,
      },
    ],
  },
  {
    name: 'an attempt whose process died is made again, and reports are not known by our id',
    breaks: 'the provider took nothing twice',
    faults: ['WhatsApp accepts without answering', 'kill -9 of messaging'],
    edits: [
      { file: 'services/messaging/src/delivery/next-move.ts', from: "return { kind: 'expire', head, pair };", to: '' },
      {
        file: 'services/messaging/src/delivery/status-update.repository.ts',
        from: 'if (known || !callbackData || !isUuid.test(callbackData)) return known;',
        to: 'return known;',
      },
    ],
  },
  {
    name: 'a message is called sent, and never left',
    breaks: 'what is said to be sent was taken by the provider, and what it took is known to be sent',
    edits: [
      {
        file: 'services/messaging/src/delivery/deliver-messages.ts',
        from: 'return await openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));',
        to: 'return { providerMessageId: `wamid.${outbound.id}`, waId: null };',
      },
    ],
  },
  {
    name: 'of what waits for a lead the last one leaves first',
    breaks: 'messages to a lead leave in the order of their acceptance',
    faults: ['WhatsApp refuses'],
    edits: [
      {
        file: 'services/messaging/src/delivery/delivery.repository.ts',
        from: 'order by number limit 1',
        to: 'order by number desc limit 1',
      },
    ],
  },
  {
    name: 'whatever a known customer writes is taken for a duplicate',
    breaks: 'what customers write is taken in once, and in order',
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'if (locked ? known : await isKnown()) return null;',
        to: 'if (locked || (await isKnown())) return null;',
      },
    ],
  },
  {
    name: 'a cancellation is answered, and the follow-up stays as it is',
    breaks: 'what was cancelled is not sent',
    edits: [
      {
        file: 'services/scheduling/src/followups/followup.repository.ts',
        from: "set status = 'cancelled', cancel_reason = 'api', next_attempt_at = null,\n        updated_at",
        to: 'set updated_at',
      },
    ],
  },
  {
    name: 'a follow-up that was sent is written down as cancelled',
    breaks: 'what was cancelled is not sent',
    edits: [
      {
        file: 'services/scheduling/src/followups/attempt.repository.ts',
        from: "set status = 'sent', message_id = id,",
        to: "set status = 'cancelled', cancel_reason = 'api', message_id = id,",
      },
    ],
  },
  {
    name: 'a follow-up is planned five seconds before it is due',
    breaks: 'a follow-up is sent when it says so, and never early',
    edits: [
      {
        file: 'services/scheduling/src/followups/create-followup.ts',
        from: 'next_attempt_at: planAttempt(windows, zone, dueAt, id),',
        to: 'next_attempt_at: new Date(dueAt.getTime() - 5_000),',
      },
    ],
  },
  {
    name: 'a message that is sent is counted twice',
    breaks: 'crm counts the messages of a lead as messaging does, which are those that are there',
    edits: [
      {
        file: 'services/messaging/src/conversations/conversation.repository.ts',
        from: 'set interaction_count = interaction_count + 1',
        to: 'set interaction_count = interaction_count + 2',
      },
    ],
  },
  {
    name: 'crm is told of a count, and does not keep it',
    breaks: 'crm counts the messages of a lead as messaging does, which are those that are there',
    edits: [
      {
        file: 'services/crm/src/leads/lead-contact.repository.ts',
        from: 'leads.interaction_count < told.count',
        to: 'leads.interaction_count > told.count',
      },
    ],
  },
  {
    name: 'the workflow of a follow-up that is not due yet ends, and no sweep sees it',
    breaks: 'no row that is not final lacks an open workflow',
    edits: [
      {
        file: 'services/scheduling/src/followups/next-move.ts',
        from: 'return answer(waitUntil(next_attempt_at, reason));',
        to: 'return answer(done(reason));',
      },
      noSweep,
    ],
  },
  {
    name: 'a calendar is taken for one that is down, for ever',
    breaks: 'whatever could be brought to its end is there',
    edits: [
      {
        file: 'services/scheduling/src/calendar-sync/next-move.ts',
        from: "if (blockedForMs > 0) return { kind: 'postpone'",
        to: "if (blockedForMs >= 0) return { kind: 'postpone'",
      },
    ],
  },
  {
    name: 'nothing is written for the workflow of a new appointment, and no sweep sees it',
    breaks: 'every row that a workflow carries had one',
    edits: [
      {
        file: 'services/scheduling/src/appointments/create-appointment.ts',
        from: "...(connection ? [wakeAppointment(row, 'created')] : []),",
        to: '',
      },
      noSweep,
    ],
  },
  {
    name: 'the workflow of a follow-up that was sent goes on',
    breaks: 'no workflow is open without need, of no row, or has failed',
    edits: [
      {
        file: 'services/scheduling/src/followups/record-outcome.ts',
        from: "return done('sent');",
        to: "return wait(new Date(Date.now() + 3_600_000), 'sent');",
      },
    ],
  },
  {
    name: 'what was handed on stays in its outbox',
    breaks: 'what waits to be handed on is handed on',
    edits: [
      {
        file: 'packages/kit/src/delivery/outbox.repository.ts',
        from: 'delete from outbox where id = any(${[...ids]}::uuid[])',
        to: 'delete from outbox where id = any(${[...ids]}::uuid[]) and false',
      },
    ],
  },
  {
    name: 'what a customer wrote is not known when it comes again',
    breaks: 'what waits to be handed on is handed on',
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'const isKnown = () => isKnownInbound(sql, storeId, { channelId, providerMessageId });',
        to: 'const isKnown = async () => false;',
      },
    ],
  },
  {
    name: 'the outbox drops events that nobody has published',
    breaks: 'every creation is published',
    edits: [
      {
        file: 'packages/kit/src/delivery/outbox-delivery.ts',
        from: 'await options.send(group[0]);',
        to: "if (kind === 'workflow') await options.send(group[0]);",
      },
    ],
  },
  {
    name: 'a change of an appointment is published as a creation',
    breaks: 'no creation is published twice',
    edits: [
      {
        file: 'services/scheduling/src/appointments/update-appointment.ts',
        from: "type: 'scheduling.appointment.updated'",
        to: "type: 'scheduling.appointment.created'",
      },
    ],
  },
  {
    name: 'a feed shows what was cancelled',
    breaks: 'calendars show every appointment once, as it is, and nothing else',
    edits: [
      {
        file: 'services/scheduling/src/appointments/appointment.repository.ts',
        from: "scheduled_at >= ${now} and status <> 'cancelled'",
        to: 'scheduled_at >= ${now}',
      },
    ],
  },
  {
    name: 'events name another store than the row does',
    breaks: 'no row of another store',
    edits: [
      {
        file: 'packages/kit/src/delivery/event-delivery.ts',
        from: 'store_id: row.store_id,',
        to: "store_id: '00000000-0000-4000-8000-000000000000',",
      },
    ],
  },
  {
    name: 'bytes of an index are overwritten on the disk',
    breaks: 'tables and indexes are whole',
    index: 'scheduling.idempotency_records_pkey',
  },
];

/** The source of `file` with the break in it. Throws unless each text stands in it exactly once: else the break is stale. */
export function broken(source: string, file: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((text, { from, to }) => {
      const parts = text.split(from);
      if (parts.length !== 2) throw new Error(`in ${file} this stands ${parts.length - 1} times, not once: ${from}`);
      return parts.join(to);
    }, source);
}
