import { OneOf } from './common.ts';

export const appointmentStatuses = ['scheduled', 'done', 'cancelled', 'no_show'] as const;
export const AppointmentStatus = OneOf(appointmentStatuses);
