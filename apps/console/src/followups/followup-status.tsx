import { CircleCheck, CircleSlash, CircleX, Clock, type LucideIcon, SendHorizontal } from 'lucide-react';
import type { Followup } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';

type Status = Followup['status'];
type Look = { readonly icon: LucideIcon; readonly kind?: 'good' | 'bad'; readonly label: () => string };

const looks: Readonly<Record<Status, Look>> = {
  pending: { icon: Clock, label: m.followups_pending },
  sending: { icon: SendHorizontal, label: m.followups_sending },
  sent: { icon: CircleCheck, kind: 'good', label: m.followups_sent },
  failed: { icon: CircleX, kind: 'bad', label: m.followups_failed },
  cancelled: { icon: CircleSlash, label: m.followups_cancelled },
};

export function FollowupStatusBadge({ status }: { status: Status }) {
  const { icon: Icon, kind, label } = looks[status];
  return (
    <Badge kind={kind} icon={<Icon size={12} aria-hidden />}>
      {label()}
    </Badge>
  );
}

const reasons: Readonly<Record<NonNullable<Followup['cancel_reason']>, () => string>> = {
  api: m.followups_why_person,
  lead_replied: m.followups_why_replied,
  appointment_booked: m.followups_why_booked,
  opted_out: m.followups_why_opted_out,
  lead_deleted: m.followups_why_deleted,
  expired: m.followups_why_expired,
  appointment_closed: m.followups_why_closed,
  appointment_moved: m.followups_why_moved,
  reminder_removed: m.followups_why_removed,
};

const failures: Readonly<Record<string, () => string>> = {
  channel_not_connected: m.followups_fail_channel,
  messaging_window_closed: m.followups_fail_window,
  message_budget_reached: m.followups_fail_budget,
  lead_opted_out: m.followups_why_opted_out,
  lead_not_found: m.followups_why_deleted,
  restored: m.followups_fail_restored,
  followup_expired: m.followups_fail_expired,
};

/** Why it is not sent, and what to do. */
export function whyOf({ cancel_reason, error }: Followup): string | undefined {
  if (cancel_reason) return reasons[cancel_reason]();
  if (!error) return undefined;
  return failures[error.code]?.() ?? m.followups_fail_other({ reason: error.detail || error.code });
}
