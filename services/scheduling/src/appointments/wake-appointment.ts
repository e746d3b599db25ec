import type { SignalOf } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/delivery/outbox';

/** The outbox entry that wakes the workflow of an appointment. */
export const wakeAppointment = (
  appointment: { readonly id: string; readonly lead_id?: string | null },
  signal: SignalOf<'appointment'>,
): OutboxEntry => ({
  kind: 'workflow',
  workflow: 'appointment',
  entityId: appointment.id,
  leadId: appointment.lead_id ?? null,
  signal,
});
