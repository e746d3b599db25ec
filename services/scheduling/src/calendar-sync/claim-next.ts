import type { TransactionSql } from '@mostrador/kit/database/database';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { type Attempt, answer, type Claim, type ClaimNext } from '@mostrador/kit/step/retry-engine';
import { recordingMs, stepLimits, waitUntil } from '@mostrador/kit/step/step';
import { findAppointment } from '../appointments/appointment.repository.ts';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { EventReference } from '../calendars/calendar-provider.ts';
import { type ConnectionRow, findConnection } from '../calendars/connection.repository.ts';
import { timeMarkOf } from '../calendars/event-mark.ts';
import { targetOf } from '../calendars/providers.ts';
import { claim, markSyncsRefused, postpone } from './attempt.repository.ts';
import { type Move, needsAttention, nextMove, reasonOf, waitWhile } from './next-move.ts';
import { lockSync, type SyncRow } from './sync.repository.ts';

/** A claimed attempt with everything that its call needs. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly appointment: AppointmentRow;
  readonly connection: ConnectionRow;
  readonly known: EventReference | null;
  /** A person's change of the event was refused. */
  readonly replacesEdit: boolean;
  /** The present time of the appointment, as the mark of its event says it. */
  readonly timeMark: string;
  /** The event was last given this time. So deleting it is a cancellation. */
  readonly staysDeleted: boolean;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

/** Claims the sync of an appointment when an attempt is due. Otherwise answers why none is. */
export const claimNext: ClaimNext<Claim<Claimed>, { readonly circuit: ProviderCircuit }> = async (
  sql,
  row,
  { circuit },
) => {
  const { storeId, id: appointmentId } = row;
  const found = await lockSync(sql, storeId, appointmentId);
  const now = found?.now ?? new Date();
  const live = found && (await findConnection(sql, storeId));
  const connection = live?.id === found?.sync.connection_id ? live : undefined;
  const situation = { sync: found?.sync, connection, now };
  const blocked = () => (connection ? circuit.blocked(targetOf(connection)) : null);
  const first = nextMove({ ...situation, blocked });
  const move = (await mayCall(sql, first, connection)) ? nextMove({ ...situation, blocked: () => null }) : first;
  switch (move.kind) {
    case 'answer':
      return move;
    case 'mark_refused':
      await markSyncsRefused(sql, storeId, move.connection.id, move.error);
      return answer(needsAttention(move.error.code));
    case 'postpone':
      return answer(waitUntil(await postpone(sql, row, waitWhile(move.blocked)), reasonOf(move.blocked)));
    case 'claim': {
      // A change of an appointment also writes the sync row, which is locked here. So this version is the desired one.
      const [appointment] = await findAppointment(sql, storeId, appointmentId);
      const attempt = await claim(sql, row, stepLimits.leaseMs);
      const { scheduled_at, duration_minutes } = appointment as AppointmentRow;
      const timeMark = timeMarkOf(scheduled_at.getTime(), duration_minutes);
      const claimed = {
        ...{ attempt, timeMark, staysDeleted: move.sync.time_mark === timeMark },
        appointment: appointment as AppointmentRow,
        connection: move.connection,
        known: referenceOf(move.sync),
        replacesEdit: move.sync.write_back,
        recordBy: Date.now() + stepLimits.leaseMs - recordingMs,
      };
      return { kind: 'claimed', claimed };
    }
  }
};

/** Whether the circuit has closed since this process read it, for example because a person checked the calendar. */
const mayCall = async (sql: TransactionSql, move: Move, connection: ConnectionRow | undefined): Promise<boolean> =>
  move.kind === 'postpone' &&
  move.blocked.reason === 'provider_unavailable' &&
  connection !== undefined &&
  (await findOutage(sql, targetOf(connection).origin)) === undefined;

const referenceOf = ({ event_id, href, etag }: SyncRow): EventReference | null =>
  event_id !== null && href !== null ? { eventId: event_id, href, etag } : null;
