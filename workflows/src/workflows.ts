// The entry of the workflow bundle: every workflow under the name that it has in the contracts.
export { appointment } from './appointment.workflow.ts';
export { calendarWatch } from './calendar-watch.workflow.ts';
export { delivery } from './delivery.workflow.ts';
export { deliveryShard } from './delivery-shard.workflow.ts';
export { followup } from './followup.workflow.ts';
export { reply } from './reply.workflow.ts';
export { reportClosing } from './report-closing.workflow.ts';
export { webhook } from './webhook.workflow.ts';
