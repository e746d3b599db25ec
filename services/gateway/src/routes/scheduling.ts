import {
  createAppointment,
  getAppointment,
  getCalendarSync,
  listAppointments,
  updateAppointment,
} from '@mostrador/contracts';
import { get, patch, post, type Route, route } from './route.ts';

const read = { tag: 'Appointments', scope: 'appointments:read' } as const;
const write = { tag: 'Appointments', scope: 'appointments:write' } as const;

export const schedulingRoutes: readonly Route[] = [
  route(post('/appointments'), createAppointment, { ...write, status: 201, tier: 'starter', versioned: true }),
  route(get('/appointments'), listAppointments, read),
  route(get('/appointments/:appointmentId'), getAppointment, { ...read, versioned: true }),
  route(patch('/appointments/:appointmentId'), updateAppointment, { ...write, versioned: true }),
  route(get('/appointments/:appointmentId/calendar-sync'), getCalendarSync, read),
];
