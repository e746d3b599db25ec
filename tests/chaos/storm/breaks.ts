// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts quote source code with template literals

import type { Invariant } from './invariant.ts';

/** A replacement in a source file. `from` occurs in the file exactly once. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };

/** A deliberate bug. In a run with it, the invariant named in `breaks` must report a violation. */
export type Break = {
  readonly name: string;
  readonly breaks: Invariant['name'];
  /** Names of faults in `faults.ts`, in order. Without them the bug has no effect. */
  readonly faults?: readonly string[];
  /** How long the load lasts at least, in ms, when the case is rare. Default: that of `try-breaks.ts`. */
  readonly loadMs?: number;
} & (
  | { readonly edits: readonly Edit[] }
  /** Not a bug in our code: bytes of this index are overwritten on disk while PostgreSQL is stopped. */
  | { readonly index: string }
);

/** The sweep restarts a missing workflow. A break that drops a workflow must therefore also disable the sweep. */
const noSweep: Edit = {
  file: 'packages/kit/src/step/overdue.ts',
  from: 'if (await relay.isBehind()) return 0;',
  to: 'return 0;',
};

/** At least one for each invariant, because a check that cannot fail proves nothing. */
export const breaks: readonly Break[] = [
  {
    name: 'a request with a key is answered 201, but its transaction is rolled back',
    breaks: 'every acknowledged request is stored with the content that was acknowledged',
    edits: [
      {
        file: 'packages/kit/src/idempotency/idempotency.ts',
        from: 'committed = replyBytes(bytes, { etag: etag?.(done) });',
        to: "committed = replyBytes(bytes, { etag: etag?.(done) }); await sql.unsafe('rollback');",
      },
    ],
  },
  {
    name: 'creations that share a transaction are answered 201, but it is rolled back',
    breaks: 'every acknowledged request is stored with the content that was acknowledged',
    edits: [
      {
        file: 'packages/kit/src/idempotency/group-commit.ts',
        from: '< kept.length) throw new StartAgain();',
        to: "< kept.length) throw new StartAgain(); if (entries.length > 1) await sql.unsafe('rollback');",
      },
    ],
  },
  {
    name: 'a change of a title is answered 200, but not stored',
    breaks: 'every acknowledged request is stored with the content that was acknowledged',
    edits: [
      {
        file: 'services/scheduling/src/appointments/appointment.repository.ts',
        from: 'set title = ${title}, scheduled_at',
        to: 'set scheduled_at',
      },
    ],
  },
  {
    name: 'the idempotency record of a key is not read',
    breaks: 'an idempotency key has one effect',
    edits: [
      {
        file: 'packages/kit/src/idempotency/idempotency.repository.ts',
        from: 'and key = ${key} and expires_at > now()',
        to: 'and key = ${key} and false',
      },
      {
        file: 'packages/kit/src/idempotency/idempotency.repository.ts',
        from: 'kept.key = asked.key and expires_at > now()',
        to: 'kept.key = asked.key and false',
      },
      {
        file: 'packages/kit/src/idempotency/idempotency.repository.ts',
        from: 'where idempotency_records.expires_at <= now()',
        to: 'where true',
      },
    ],
  },
  {
    name: 'a lead is created, but the answer is 503',
    breaks: 'no row comes from an unknown, expired or rejected request',
    edits: [
      {
        file: 'services/crm/src/leads/create-lead.ts',
        from: 'return await writeOnce(',
        to: 'const result = await writeOnce(',
      },
      {
        file: 'services/crm/src/leads/create-lead.ts',
        from: 'etag: (row) => leadEtag(row, now),\n    });',
        to: "etag: (row) => leadEtag(row, now),\n    });\n    if (context.idempotency) throw new AppError('service_unavailable');\n    return result;",
      },
    ],
  },
  {
    name: 'a request takes effect after its deadline',
    breaks: 'no row comes from an unknown, expired or rejected request',
    edits: [
      {
        file: 'packages/kit/src/rpc/wire.ts',
        from: 'Number.NaN : Number(deadline),',
        to: 'Number.NaN : Number(deadline) + 60_000,',
      },
      {
        file: 'services/scheduling/src/appointments/create-appointment.ts',
        from: 'const metadata = changeMetadata({}, body.metadata, maxAppointmentMetadataBytes);',
        // Not each of them: what the run begins with must be made.
        to: `if (Math.random() < 0.3) await new Promise((resume) => setTimeout(resume, 5_000));
        const metadata = changeMetadata({}, body.metadata, maxAppointmentMetadataBytes);`,
      },
    ],
  },
  {
    name: 'a send without an answer within 1 s is retried at once',
    breaks: 'the provider accepts each message at most once',
    faults: ['WhatsApp accepts messages without answering'],
    edits: [
      {
        file: 'services/messaging/src/delivery/call-provider.ts',
        from: 'const sending = openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));',
        to: `const once = (ms) => openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(ms));
          const sending = once(1_000).catch(() => once(limitMs));`,
      },
    ],
  },
  {
    name: 'an attempt whose process died is retried, and status updates are not matched by our id',
    breaks: 'the provider accepts each message at most once',
    faults: ['WhatsApp accepts messages without answering', 'kill -9 of messaging'],
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
    name: 'a message is recorded as sent, but never sent',
    breaks: 'a message counts as sent exactly when the provider accepted it',
    edits: [
      {
        file: 'services/messaging/src/delivery/call-provider.ts',
        from: 'const sending = openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));',
        to: 'const sending = Promise.resolve({ providerMessageId: `wamid.${outbound.id}`, waId: null });',
      },
    ],
  },
  {
    name: 'the last queued message of a lead is sent first',
    breaks: 'messages to a lead are sent in the order in which they were accepted',
    faults: ['WhatsApp rejects messages'],
    edits: ['delivery.repository.ts', 'batch.repository.ts'].map((file) => ({
      file: `services/messaging/src/delivery/${file}`,
      from: 'order by number limit 1',
      to: 'order by number desc limit 1',
    })),
  },
  {
    name: 'every message of a known customer counts as a duplicate',
    breaks: 'every message of a customer is stored once and in order',
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'if (locked ? known : await isKnown()) return null;',
        to: 'if (locked || (await isKnown())) return null;',
      },
      {
        file: 'services/messaging/src/inbound/accept-many.ts',
        from: '.filter(({ content: { providerMessageId: id } }) => !seen.has(id) && seen.add(id));',
        to: '.filter(() => false);',
      },
    ],
  },
  {
    name: 'a merge of leads whose customer is one leaves the messages where they are',
    breaks: 'every message of a customer is stored once and in order',
    edits: [
      {
        file: 'services/messaging/src/merges/merge-conversations.ts',
        from: 'if (!locked) return 0;',
        to: 'if (locked) return 0;',
      },
    ],
  },
  {
    name: 'a merge of leads whose customer is one sends the messages once more',
    breaks: 'the provider accepts each message at most once',
    edits: [
      {
        file: 'services/messaging/src/merges/merge.repository.ts',
        from: 'update messages m set lead_id = ${keptId}, number = -ordered.number',
        to: `update messages m set lead_id = \${keptId}, number = -ordered.number,
          provider_message_id = case when m.direction = 'inbound' then m.provider_message_id end,
          status = case when m.direction = 'inbound' then m.status else 'queued' end`,
      },
    ],
  },
  {
    name: 'a message with a number and the user id of a lead is not linked to that lead',
    breaks: 'a customer whose number or user id changes is one lead, and has the last ones',
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'if (waId === null || userId === null || byUserId === null || byWaId === byUserId) return undefined;',
        to: 'return undefined;',
      },
    ],
  },
  {
    name: 'who gets the number of another customer does not name that lead',
    breaks: 'who gets the number of another customer is a new lead, which names the one before',
    loadMs: 35_000,
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'const isNewStart = release !== undefined && release.userId !== found.message.userId;',
        to: 'const isNewStart = false;',
      },
    ],
  },
  {
    name: 'a conversation keeps the number that it had first',
    breaks: 'no message goes to a number or user id that its customer has left',
    loadMs: 35_000,
    edits: [
      {
        file: 'services/messaging/src/conversations/conversation.repository.ts',
        from: 'wa_id = coalesce(${waId}, c.wa_id),',
        to: 'wa_id = coalesce(c.wa_id, ${waId}),',
      },
      {
        file: 'services/messaging/src/identities/identity-change.repository.ts',
        from: 'where c.store_id = ${storeId} and c.lead_id = ${leadId} and c.wa_id = any(${formsOf(from.waId)}::text[])`;',
        to: 'where false and c.wa_id = ${to.waId}`;',
      },
      {
        file: 'services/messaging/src/identities/identity-change.repository.ts',
        from: 'set wa_id = ${waId}, phone = ${waId}, phone_version = greatest(phone_version, ${version})',
        to: 'set phone_version = greatest(phone_version, ${version})',
      },
    ],
  },
  {
    name: 'a cancellation is answered 200, but the follow-up stays as it is',
    breaks: 'a cancelled follow-up is not sent',
    edits: [
      {
        file: 'services/scheduling/src/followups/followup.repository.ts',
        from: "set status = 'cancelled', cancel_reason = ${reason}, next_attempt_at = null,\n        updated_at = greatest(clock_timestamp(), updated_at)",
        to: 'set updated_at = greatest(clock_timestamp(), updated_at)',
      },
    ],
  },
  {
    name: 'a sent follow-up is recorded as cancelled',
    breaks: 'a cancelled follow-up is not sent',
    edits: [
      {
        file: 'services/scheduling/src/followups/attempt.repository.ts',
        from: "set status = 'sent', message_id = id,",
        to: "set status = 'cancelled', cancel_reason = 'api', message_id = id,",
      },
    ],
  },
  {
    name: 'the first attempt of a follow-up is 5 s early',
    breaks: 'a follow-up counts as sent exactly when it was sent, and never before it is due',
    edits: [
      {
        file: 'services/scheduling/src/followups/create-followup.ts',
        from: 'next_attempt_at: planAttempt(windows, zone, moments.due_at, id),',
        to: 'next_attempt_at: new Date(moments.due_at.getTime() - 5_000),',
      },
    ],
  },
  {
    name: 'messaging counts a sent message twice',
    breaks: 'crm, messaging and the stored messages agree on the message count of a lead',
    edits: [
      {
        file: 'services/messaging/src/conversations/conversation.repository.ts',
        from: 'set interaction_count = interaction_count + 1',
        to: 'set interaction_count = interaction_count + 2',
      },
    ],
  },
  {
    name: 'crm ignores the message count that it gets',
    breaks: 'crm, messaging and the stored messages agree on the message count of a lead',
    edits: [
      {
        file: 'services/crm/src/leads/lead-contact.repository.ts',
        from: 'leads.interaction_count < told.count',
        to: 'leads.interaction_count > told.count',
      },
    ],
  },
  {
    name: 'the workflow of a follow-up ends before the follow-up is due, and the sweep is off',
    breaks: 'every unfinished row has an open workflow',
    edits: [
      {
        file: 'services/scheduling/src/followups/next-move.ts',
        from: 'return answer(waitUntil(nextLook(followup, next_attempt_at), reason));',
        to: 'return answer(done(reason));',
      },
      noSweep,
    ],
  },
  {
    name: 'a calendar counts as down permanently',
    breaks: 'all work that can finish has finished',
    edits: [
      {
        file: 'services/scheduling/src/calendar-sync/next-move.ts',
        from: 'const blocked = situation.blocked();',
        to: "const blocked = { reason: 'provider_unavailable', forMs: 0 } as const;",
      },
    ],
  },
  {
    name: 'a new appointment has no wake-up in the outbox, and the sweep is off',
    breaks: 'every appointment and every follow-up had a workflow',
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
    name: 'the workflow of a sent follow-up stays open',
    breaks: 'no workflow has failed, lacks its row, or stays open without work',
    edits: [
      {
        file: 'services/scheduling/src/followups/record-outcome.ts',
        from: "return done('sent');",
        to: "return wait(new Date(Date.now() + 3_600_000), 'sent');",
      },
    ],
  },
  {
    name: 'delivered entries stay in the outbox',
    breaks: 'every outbox and the inbox are empty',
    edits: [
      {
        file: 'packages/kit/src/outbox/outbox.repository.ts',
        from: 'delete from outbox where id = any(${[...ids]}::uuid[])',
        to: 'delete from outbox where id = any(${[...ids]}::uuid[]) and false',
      },
    ],
  },
  {
    name: 'a duplicate of a customer message is not recognized',
    breaks: 'every outbox and the inbox are empty',
    edits: [
      {
        file: 'services/messaging/src/inbound/accept-inbound.ts',
        from: 'const isKnown = () => isKnownInbound(sql, storeId, { channelId, providerMessageId });',
        to: 'const isKnown = async () => false;',
      },
      {
        file: 'services/messaging/src/inbound/accept-many.ts',
        from: 'const seen = new Set(metBefore.known);',
        to: 'const seen = new Set<string>();',
      },
    ],
  },
  {
    name: 'the outbox drops events without publishing them',
    breaks: 'every creation is published',
    edits: [
      {
        file: 'packages/kit/src/outbox/outbox-delivery.ts',
        from: 'await options.send(newestOf(group));',
        to: "if (kind === 'workflow') await options.send(newestOf(group));",
      },
    ],
  },
  {
    name: 'a change of an appointment is published as a creation',
    breaks: 'no creation is published twice',
    edits: [
      {
        file: 'services/scheduling/src/appointments/save-change.ts',
        from: '...appointmentUpdated(current, saved),',
        to: '...appointmentCreated(saved),',
      },
      {
        file: 'services/scheduling/src/appointments/save-change.ts',
        from: '  appointmentUpdated,',
        to: '  appointmentCreated,',
      },
    ],
  },
  {
    name: 'the relay drops public events without sending them',
    breaks: 'every creation is in the feed of its store',
    edits: [
      {
        file: 'packages/kit/src/outbox/feed-delivery.ts',
        from: 'const append = (entries: FeedEntry[]) => rpc.call(appendEvents, { body: { entries } }, context);',
        to: 'const append = async (_: FeedEntry[]) => ({ appended: 0 });',
      },
    ],
  },
  {
    name: 'half of the delivered feed entries stay, and the feed does not know a repeated event',
    breaks: 'nothing is in a feed twice',
    edits: [
      {
        file: 'packages/kit/src/outbox/feed-delivery.ts',
        from: 'await repository.remove(rows);',
        to: 'if (Math.random() < 0.5) await repository.remove(rows);',
      },
      {
        file: 'services/events/src/feed/append.repository.ts',
        from: 'where id = any(${entries.map(({ id }) => id)}::uuid[]) and appended_at >= ${since}`;',
        to: 'where id = any(${entries.map(({ id }) => id)}::uuid[]) and appended_at >= ${since} and false`;',
      },
    ],
  },
  {
    name: 'a feed leaves out a number now and then',
    breaks: 'the numbers of a feed have no gap',
    edits: [
      {
        file: 'services/events/src/feed/number-entries.ts',
        from: 'const sequence = end.last_sequence + 1;',
        to: 'const sequence = end.last_sequence + (Math.random() < 0.05 ? 2 : 1);',
      },
    ],
  },
  {
    name: 'the relay collects public events for 2 s, and sends them in the opposite order',
    breaks: 'the events of a row are in the feed in their order',
    edits: [
      {
        file: 'packages/kit/src/outbox/feed-delivery.ts',
        from: 'const batchingPauseMs = 50;',
        to: 'const batchingPauseMs = 2_000;',
      },
      {
        file: 'packages/kit/src/outbox/feed-delivery.ts',
        from: 'append(rows.map(toEntry))',
        to: 'append(rows.toReversed().map(toEntry))',
      },
    ],
  },
  {
    name: 'a page of the feed ends one event after the last one that it shows',
    breaks: 'a reader of a feed gets every event once, in order',
    edits: [
      {
        file: 'services/events/src/feed/page.ts',
        from: 'return rows.length === limit ? lastShown : Math.max(lastShown, Math.min(until, last));',
        to: 'return rows.length === 0 ? Math.min(until, last) : lastShown + 1;',
      },
    ],
  },
  {
    name: 'the planner of deliveries leaves out the event after each batch',
    breaks: 'a webhook endpoint accepted every event of its feed',
    edits: [
      {
        file: 'services/events/src/webhooks/sending/plan-deliveries.ts',
        from: 'place: last.sequence };',
        to: 'place: last.sequence + 1 };',
      },
      {
        file: 'services/events/src/webhooks/sending/claim-next.ts',
        from: 'planned_through: locked.last_sequence, due_at',
        to: 'planned_through: locked.last_sequence + 1, due_at',
      },
    ],
  },
  {
    name: 'no delivery waits for an earlier one of its row',
    breaks: 'a webhook endpoint accepts the events of a row in their order',
    edits: [
      {
        file: 'services/events/src/webhooks/sending/attempt.repository.ts',
        from: 'and d.next_attempt_at <= statement_timestamp() ${andNotHeld(sql, endpoint)}',
        to: 'and d.next_attempt_at <= statement_timestamp()',
      },
      {
        file: 'services/events/src/webhooks/sending/plan-deliveries.ts',
        from: 'events.length <= most && areOfDifferentEntities',
        to: 'events.length <= most',
      },
    ],
  },
  {
    name: 'the timestamp of a webhook is not the signed one',
    breaks: 'every webhook is signed, and a repeated one has the same id',
    edits: [
      {
        file: 'services/events/src/webhooks/sending/signature.ts',
        from: 'const timestamp = String(Math.floor(at.getTime() / 1000));',
        to: 'const timestamp = String(Math.floor(at.getTime() / 1000) - 1);',
      },
    ],
  },
  {
    name: 'a feed shows cancelled appointments',
    breaks: 'every calendar shows each appointment once, up to date, and nothing else',
    edits: [
      {
        file: 'services/scheduling/src/appointments/appointment.repository.ts',
        from: "scheduled_at >= ${now} and status <> 'cancelled'",
        to: 'scheduled_at >= ${now}',
      },
    ],
  },
  {
    name: 'every place counts as free',
    breaks: 'no place is taken twice',
    edits: [
      {
        file: 'services/scheduling/src/booking/taken-places.ts',
        from: 'const fits = isFree([...others, ...blocking], wanted, capacity);',
        to: 'const fits = true;',
      },
    ],
  },
  {
    name: 'the cancellation of an appointment that takes a place is answered 200, but not stored',
    breaks: 'the cancellation of a booking stays',
    edits: [
      {
        file: 'services/scheduling/src/appointments/update-appointment.ts',
        from: 'await deleteBookings(sql, store_id, [id]);\n    return changed;',
        to: "await deleteBookings(sql, store_id, [id]);\n    return { ...changed, status: 'scheduled' };",
      },
    ],
  },
  {
    name: 'no event that a person moved or deleted changes its appointment',
    breaks: 'calendar and appointments agree',
    edits: [
      {
        file: 'services/scheduling/src/calendar-watch/settle-event.ts',
        from: "if (found.kind === 'none') return 'settled';",
        to: "if (found.kind !== 'later') return 'settled';",
      },
    ],
  },
  {
    name: 'each text of the AI is told twice, under two ids',
    breaks: 'no message of a customer has two answers of the AI',
    edits: [
      {
        file: 'services/assistant/src/turns/advance-turn.ts',
        from: 'const told = await tell(dependencies, call, claimed.turn);',
        to: `await tell(dependencies, call, { ...claimed.turn, id: crypto.randomUUID() });
          const told = await tell(dependencies, call, claimed.turn);`,
      },
    ],
  },
  {
    name: 'an answer of the AI is accepted although the customer has written on',
    breaks: 'an answer of the AI has seen all that the customer wrote before it',
    edits: [
      {
        file: 'services/assistant/src/turns/tell.ts',
        from: '...(isFinal ? {} : { unless_reply_after: toTimestamp(answered_to) }),',
        to: '',
      },
      // A run has few answers, so each waits until the customer has probably written on.
      {
        file: 'services/assistant/src/turns/tell.ts',
        from: 'const isFinal = await',
        to: 'await new Promise((resolve) => setTimeout(resolve, 4_000)); const isFinal = await',
      },
    ],
  },
  {
    name: 'a turn that has ended settles what came after its answer',
    breaks: 'all that a customer wrote to the AI is answered, or a person was called',
    loadMs: 35_000,
    edits: [
      {
        file: 'services/assistant/src/turns/turn.repository.ts',
        from: 'and lead_id = ${leadId} and answered_to >= ${receivedAt}\n',
        to: 'and lead_id = ${leadId} and ${receivedAt}::timestamptz is not null\n',
      },
    ],
  },
  {
    name: 'events name another store than their row',
    breaks: 'no row, workflow or event belongs to another store',
    edits: [
      {
        file: 'packages/kit/src/outbox/event-delivery.ts',
        from: 'store_id: row.store_id,',
        to: "store_id: '00000000-0000-4000-8000-000000000000',",
      },
    ],
  },
  {
    name: 'the socket below TLS is closed, and has no listener for its errors',
    breaks: 'no process ended by itself',
    faults: ['PostgreSQL restarted'],
    edits: [
      {
        file: 'packages/kit/src/database/socket.ts',
        from: 'void socket.destroy(error);',
        to: 'void raw.destroy(error);',
      },
      {
        file: 'packages/kit/src/database/socket.ts',
        from: "return socket.on('error', (error) => failures.add(error));",
        to: 'return socket;',
      },
    ],
  },
  {
    name: 'bytes of an index are overwritten on disk',
    breaks: 'no table or index is corrupt',
    index: 'scheduling.idempotency_records_pkey',
  },
];

/**
 * Returns the source of `file` with the edits of a break.
 *
 * @throws when a `from` text does not occur exactly once, because then the break is stale.
 */
export function broken(source: string, file: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((text, { from, to }) => {
      const parts = text.split(from);
      if (parts.length !== 2) throw new Error(`${file} has this text ${parts.length - 1} times, not once: ${from}`);
      return parts.join(to);
    }, source);
}
