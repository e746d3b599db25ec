import { m } from '../paraglide/messages.js';

const resources: Readonly<Record<string, () => string>> = {
  key: m.team_audit_key,
  login_link: m.team_audit_login_link,
  session: m.team_audit_session,
  store: m.team_audit_store,
  user: m.team_audit_person,
  seller: m.team_audit_seller,
  lead: m.team_audit_lead,
  message: m.team_audit_message,
  conversation: m.team_audit_conversation,
  appointment: m.team_audit_appointment,
  followup: m.team_audit_followup,
  webhook_endpoint: m.team_audit_endpoint,
  webhook_delivery: m.team_audit_delivery,
  webhook_replay: m.team_audit_replay,
  channel: m.team_audit_channel,
  calendar: m.team_audit_calendar,
  waiting: m.team_audit_waiting,
};

const done: Readonly<Record<string, () => string>> = {
  created: m.team_done_created,
  create: m.team_done_created,
  replaced: m.team_done_replaced,
  rotate: m.team_done_replaced,
  revoked: m.team_done_revoked,
  opened: m.team_done_opened,
  ended: m.team_done_ended,
  close: m.team_done_ended,
  changed: m.team_done_changed,
  update: m.team_done_changed,
  upsert: m.team_done_changed,
  disabled: m.team_done_disabled,
  enabled: m.team_done_enabled,
  invited: m.team_done_invited,
  removed: m.team_done_removed,
  delete: m.team_done_deleted,
  cancel: m.team_done_cancelled,
  send: m.team_done_sent,
  test: m.team_done_tested,
  retry: m.team_done_retried,
  give_up: m.team_done_given_up,
  connect: m.team_done_connected,
  disconnect: m.team_done_disconnected,
};

/** What was done, in words: `API key: created`. An action that is not known here stays as it is. */
export function wordsOfAction(action: string): string {
  const [resource = '', verb = ''] = action.split('.');
  // The actions of accounts name one, `key.created`; those of the API several, `leads.update`.
  const one = resource.replace(/deliveries$/, 'delivery').replace(/s$/, '');
  const [what, how] = [resources[one], done[verb]];
  return what && how ? m.team_audit_change({ what: what(), done: how() }) : action;
}
