import { AppError } from '@mostrador/kit/rpc/errors';
import { findAppointment } from '../../appointments/appointment.repository.ts';
import type { Dependencies } from '../../dependencies.ts';
import { findFencedAt } from '../connection.repository.ts';
import { invitationOf } from '../invitation.ts';
import { type Invited, isInvitationReadable } from '../invitation-link.ts';

/** The invitation to which a link leads. */
export async function readInvitation(
  { database }: Pick<Dependencies, 'database'>,
  { storeId, appointmentId }: Invited,
  deadline: number,
): Promise<{ icalendar: string }> {
  const [[row], fencedAt] = await database.read({ storeId, deadline }, (sql) =>
    Promise.all([findAppointment(sql, storeId, appointmentId), findFencedAt(sql)]),
  );
  if (!row || !isInvitationReadable(row, new Date())) throw new AppError('calendar_feed_not_found');
  return { icalendar: invitationOf(row, fencedAt).content };
}
