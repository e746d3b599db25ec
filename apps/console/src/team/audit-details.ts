import { modelProviderWords } from '../connections/model-providers.ts';
import type { components } from '../generated/platform.ts';
import { wordsOfScopes } from '../keys/scopes.ts';
import { kindsWords, reasonWords } from '../operations/waiting-words.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { fullTime } from '../ui/time.ts';
import { roleWords } from './roles.ts';

type Schemas = components['schemas'];
type Details = Schemas['AuditDetails'];
type ChangeNames =
  | 'UpdateStoreOptionsRequest'
  | 'UpdatePersonRequest'
  | 'UpdateLeadRequest'
  | 'UpdateSellerRequest'
  | 'UpdateAppointmentRequest'
  | 'UpdateFollowupRequest'
  | 'UpdateAgentRequest'
  | 'UpdateAgentEvalRequest'
  | 'UpdateWebhookEndpointRequest'
  | 'SwitchStoreAiRequest';
/** Of each kind of thing on its own: the names of all members of a union would be those that they share. */
type MemberOf<Name extends keyof Schemas> = Name extends unknown ? keyof Schemas[Name] : never;
/** The operator changes these two with the admin command. */
type Member = MemberOf<ChangeNames> | 'tier' | 'rate_limit';

/** What can be changed. A member that is new in the contract fails the type check here. */
const memberWords: Record<Member, () => string> = {
  name: m.audit_m_name,
  timezone: m.audit_m_timezone,
  locale: m.audit_m_locale,
  country: m.audit_m_country,
  message_wait_seconds: m.audit_m_message_wait_seconds,
  session_idle_hours: m.audit_m_session_idle_hours,
  opt_out_stops_api: m.audit_m_opt_out_stops_api,
  sending_windows: m.audit_m_sending_windows,
  calendar_customer: m.audit_m_calendar_customer,
  tier: m.audit_m_tier,
  rate_limit: m.audit_m_rate_limit,
  role: m.audit_m_role,
  seller_id: m.audit_m_seller_id,
  customer_phone: m.audit_m_customer_phone,
  status: m.audit_m_status,
  ai_paused_until: m.audit_m_ai_paused_until,
  external_id: m.audit_m_external_id,
  email: m.audit_m_email,
  tags: m.audit_m_tags,
  metadata: m.audit_m_metadata,
  whatsapp_id: m.audit_m_whatsapp_id,
  is_active: m.audit_m_is_active,
  title: m.audit_m_title,
  scheduled_at: m.audit_m_scheduled_at,
  duration_minutes: m.audit_m_duration_minutes,
  notes: m.audit_m_notes,
  service_id: m.audit_m_service_id,
  hold_id: m.audit_m_hold_id,
  bookable: m.audit_m_bookable,
  hours: m.audit_m_hours,
  due_at: m.audit_m_due_at,
  message: m.audit_m_message,
  template: m.audit_m_template,
  cancel_on_reply: m.audit_m_cancel_on_reply,
  cancel_on_appointment: m.audit_m_cancel_on_appointment,
  expires_at: m.audit_m_expires_at,
  appointment_id: m.audit_m_appointment_id,
  model: m.audit_m_model,
  priority: m.audit_m_priority,
  is_default: m.audit_m_is_default,
  voice_id: m.audit_m_voice_id,
  audio_response_enabled: m.audit_m_audio_response_enabled,
  instructions: m.audit_m_instructions,
  tone: m.audit_m_tone,
  language: m.audit_m_language,
  disclosure: m.audit_m_disclosure,
  handover_when: m.audit_m_handover_when,
  text: m.audit_m_text,
  conversation: m.audit_m_conversation,
  expects: m.audit_m_expects,
  tools: m.audit_m_tools,
  condition_groups: m.audit_m_condition_groups,
  url: m.audit_m_url,
  description: m.audit_m_description,
  event_types: m.audit_m_event_types,
  filters: m.audit_m_filters,
  ordering: m.audit_m_ordering,
  payload: m.audit_m_payload,
  max_in_flight: m.audit_m_max_in_flight,
  resume_from: m.audit_m_resume_from,
  ai: m.audit_m_ai,
  most_calls: m.audit_m_most_calls,
  most_spent: m.audit_m_most_spent,
  most_tokens: m.audit_m_most_tokens,
  confirm: m.audit_m_confirm,
};

const providerWords: Readonly<Record<string, () => string>> = {
  whatsapp_cloud: m.connections_whatsapp,
  sandbox: m.connections_sandbox,
  google: m.connections_google,
  caldav: m.connections_caldav,
  ...modelProviderWords,
};

const proofWords = { password: m.password, passkey: m.audit_proof_passkey, oidc: m.audit_proof_oidc };
const methodWords = { ...proofWords, link: m.audit_method_link };
const decisionWords = { confirm: m.audit_decision_confirm, decline: m.audit_decision_decline };
const unknownWords = { sent: m.audit_unknown_as_sent, failed: m.audit_unknown_as_failed };

const wordsOfMember = (member: string): string =>
  (memberWords as Readonly<Record<string, (() => string) | undefined>>)[member]?.() ?? member;

const listed = (words: readonly string[]): string =>
  new Intl.ListFormat(getLocale(), { type: 'unit', style: 'short' }).format(words);

/** What an action was about, one phrase a line. A word that is not known here stays as it is. */
export function wordsOfDetails(
  { changed, role, scopes, proof, method, attempts, provider, ...waiting }: Details,
  timeZone: string,
): string[] {
  const { kind, count, reason, older_than, decision, unknown_as } = waiting;
  return [
    changed && m.audit_changed({ members: listed(changed.map(wordsOfMember)) }),
    role && m.audit_role({ role: roleWords[role]() }),
    scopes && m.audit_scopes({ scopes: listed(wordsOfScopes(scopes)) }),
    proof && m.audit_proof({ proof: proofWords[proof]() }),
    method && m.audit_method({ method: methodWords[method]() }),
    attempts !== undefined && m.audit_attempts({ count: attempts }),
    provider && m.audit_provider({ provider: providerWords[provider]?.() ?? provider }),
    kind &&
      (count === undefined
        ? m.audit_waiting_all({ kind: kindsWords[kind]() })
        : m.audit_waiting_count({ kind: kindsWords[kind](), count })),
    reason && reasonWords[reason](),
    older_than && m.audit_waiting_since({ when: fullTime(older_than, timeZone) }),
    decision && decisionWords[decision](),
    unknown_as && unknownWords[unknown_as](),
  ].filter((words) => words !== undefined && words !== false);
}
