import { m } from '../paraglide/messages.js';

/** Who wrote a message, in the order of the chart's parts. */
export const sources = [
  ['seller', m.reports_by_seller],
  ['ai', m.reports_by_ai],
  ['followup', m.reports_by_followup],
  ['api', m.reports_by_api],
] as const;
