import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Failure, faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, type Followup, type Lead, type MessageTemplate, platform, versionedOf } from '../api/platform.ts';
import { storeQuery } from '../api/queries.ts';
import { LeadPicker } from '../leads/lead-picker.tsx';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { isIncomplete, noTemplate, templateOf } from '../templates/template.ts';
import { TemplateFields } from '../templates/template-fields.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextArea } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { type ChosenMoment, filledWith, MomentField } from '../ui/moment-field.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { momentOf } from '../ui/zone.ts';
import styles from './followups.module.css';
import { followupsChanged } from './queries.ts';

/** Delays that are offered. */
const delays: readonly (readonly [count: number, unit: 'hour' | 'day'])[] = [
  [1, 'hour'],
  [4, 'hour'],
  [1, 'day'],
  [3, 'day'],
  [7, 'day'],
  [30, 'day'],
];
const minutesIn = { hour: 60, day: 1440 };

function wordsOfDelay(count: number, unit: 'hour' | 'day'): string {
  const words = new Intl.RelativeTimeFormat(getLocale()).format(count, unit);
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}
const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

type When = { readonly due_at: string } | { readonly delay_minutes: number };
type Values = {
  readonly message: string;
  readonly when: When | undefined;
  readonly cancel_on_reply: boolean;
  readonly cancel_on_appointment: boolean;
  readonly template: MessageTemplate | null | undefined;
};

type NewFollowupProps = {
  /** Undefined: the person chooses one. */
  readonly lead?: Lead | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
};

export function NewFollowup({ lead: given, open, onClose }: NewFollowupProps) {
  const first = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<Lead | null>(null);
  const [isMissing, setMissing] = useState(false);
  const lead = given ?? chosen;
  const create = useMutation({
    mutationFn: ({ when, template, ...rest }: Values & { lead_id: string }) =>
      dataOf(platform.POST('/followups/scheduled', { body: { ...rest, ...when, ...(template && { template }) } })),
    onSuccess: async () => {
      await followupsChanged();
      say(m.followups_was_made());
      onClose();
    },
  });
  const submit = (values: Values) => {
    setMissing(!lead);
    if (!lead) return first.current?.focus();
    create.mutate({ ...values, lead_id: lead.id });
  };
  const reset = () => {
    create.reset();
    setChosen(null);
    setMissing(false);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={reset}
      title={m.followups_create()}
      about={given && m.followups_to({ name: given.name })}
      initialFocus={first}
    >
      <FollowupForm
        action={m.followups_schedule()}
        busy={create.isPending}
        error={create.error}
        onSubmit={submit}
        onClose={onClose}
        messageRef={given ? first : undefined}
      >
        {!given && (
          <LeadPicker
            ref={first}
            label={m.followups_lead()}
            value={chosen}
            onChoose={setChosen}
            error={isMissing && !chosen ? m.followups_lead_missing() : undefined}
          />
        )}
      </FollowupForm>
    </Dialog>
  );
}

type EditFollowupProps = { readonly followup: Followup; readonly open: boolean; readonly onClose: () => void };

const isOldVersion = (error: unknown) => error instanceof Failure && error.code === 'version_mismatch';

/** Changes one that waits. When somebody has changed it meanwhile, what the person wrote stays in the form. */
export function EditFollowup({ followup, open, onClose }: EditFollowupProps) {
  const message = useRef<HTMLTextAreaElement>(null);
  return (
    <Dialog open={open} onClose={onClose} title={m.followups_edit()} initialFocus={message}>
      <EditForm followup={followup} messageRef={message} onClose={onClose} />
    </Dialog>
  );
}

type EditFormProps = Pick<FollowupFormProps, 'messageRef' | 'onClose'> & { readonly followup: Followup };

function EditForm({ followup, messageRef, onClose }: EditFormProps) {
  const path = { path: { followupId: followup.id } };
  const read = useQuery({
    queryKey: ['followup', followup.id, 'edit'],
    queryFn: () => versionedOf(platform.GET('/followups/scheduled/{followupId}', { params: path })),
    // The version of when the form was opened. Otherwise an event would replace it, and hide that somebody changed it.
    staleTime: 'static',
    gcTime: 0,
  });
  const edit = useMutation({
    mutationFn: async ({ when, template, ...rest }: Values) =>
      dataOf(
        platform.PATCH('/followups/scheduled/{followupId}', {
          params: path,
          headers: { 'if-match': read.data?.etag ?? '*' },
          body: { ...rest, ...when, ...(template !== undefined && { template }) },
        }),
      ),
    onSuccess: async () => {
      await followupsChanged();
      say(m.followups_was_saved());
      onClose();
    },
    onError: (error) => void (isOldVersion(error) && read.refetch()),
  });
  return (
    <FollowupForm
      followup={followup}
      messageRef={messageRef}
      action={isOldVersion(edit.error) ? m.followups_save_mine() : m.followups_save()}
      busy={edit.isPending || read.isFetching}
      error={edit.error}
      onSubmit={(values) => edit.mutate(values)}
      onClose={onClose}
    >
      {isOldVersion(edit.error) && <Bad>{m.followups_changed_meanwhile({ text: read.data?.data.message ?? '' })}</Bad>}
    </FollowupForm>
  );
}

type FollowupFormProps = {
  /** Undefined: it is a new one. */
  readonly followup?: Followup;
  readonly messageRef: React.RefObject<HTMLTextAreaElement | null> | undefined;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (values: Values) => void;
  readonly onClose: () => void;
  readonly children?: React.ReactNode;
};

function FollowupForm(props: FollowupFormProps) {
  const { followup, messageRef, action, busy, error, onSubmit, onClose, children } = props;
  const { data: store } = useQuery(storeQuery);
  const [delay, setDelay] = useState(followup ? 'moment' : '1440');
  const [faults, setFaults] = useState<{ message?: string; at?: string; template?: string }>({});
  const [template, setTemplate] = useState(noTemplate);
  const zone = store?.timezone;
  const [first] = useState(
    () => followup?.due_at ?? new Date(Math.ceil(Date.now() / minuteMs) * minuteMs + dayMs).toISOString(),
  );
  const [chosen, setAt] = useState<ChosenMoment>();
  const at = chosen ?? (zone ? filledWith(first, zone) : { wall: '' });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const due = delay === 'moment' && zone ? momentOf(at.wall, zone, at.filled) : undefined;
    const isSame = due !== undefined && due === followup?.due_at;
    const isPast = due !== undefined && Date.parse(due) <= Date.now();
    const found = {
      ...(text('message') === '' && { message: m.followups_message_missing() }),
      ...(delay === 'moment' && !isSame && (!due || isPast) && { at: m.followups_at_past() }),
      ...(isIncomplete(template) && { template: m.template_missing() }),
    };
    setFaults(found);
    const [wrong] = Object.keys(found);
    if (wrong === 'template') return;
    if (wrong) return (event.currentTarget.elements.namedItem(wrong) as HTMLElement).focus();
    if (busy) return;
    onSubmit({
      message: text('message'),
      when: isSame ? undefined : delay === 'moment' ? { due_at: due as string } : momentAfter(Number(delay), followup),
      cancel_on_reply: form.get('cancel_on_reply') === 'on',
      cancel_on_appointment: form.get('cancel_on_appointment') === 'on',
      template: followup?.template ? (form.get('keep_template') === 'on' ? undefined : null) : templateOf(template),
    });
  };
  const refusedAt = faultOf(error, '#/due_at') && m.followups_at_past();
  const isSaid = refusedAt !== undefined || (error instanceof Failure && error.code === 'version_mismatch');
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={action}
      busy={busy}
      bad={error != null && !isSaid ? wordsOfFollowup(error) : undefined}
    >
      {children}
      <TextArea
        ref={messageRef}
        name="message"
        label={m.followups_message()}
        error={faults.message}
        rows={4}
        maxLength={4096}
        dir="auto"
        defaultValue={followup?.message}
      />
      <div className={styles.when}>
        <SelectField
          label={m.followups_when()}
          value={delay}
          onChange={({ target }) => setDelay(target.value)}
          choices={[
            ...delays.map(([count, unit]) => [String(count * minutesIn[unit]), wordsOfDelay(count, unit)] as const),
            ['moment', m.followups_at_moment()],
          ]}
        />
        {delay === 'moment' && zone && (
          <MomentField
            name="at"
            label={m.followups_at()}
            hint={m.leads_appointment_zone({ zone })}
            timeZone={zone}
            error={faults.at ?? refusedAt}
            value={at}
            onChange={setAt}
          />
        )}
      </div>
      <p className={styles.hint}>{m.followups_window_hint()}</p>
      <fieldset className={styles.group}>
        <legend>{m.followups_cancel_when()}</legend>
        <CheckField
          name="cancel_on_reply"
          label={m.followups_cancel_on_reply()}
          defaultChecked={followup?.cancel_on_reply ?? true}
        />
        <CheckField
          name="cancel_on_appointment"
          label={m.followups_cancel_on_appointment()}
          defaultChecked={followup?.cancel_on_appointment ?? false}
        />
      </fieldset>
      {followup?.template ? (
        <CheckField
          name="keep_template"
          label={m.followups_keep_template({ name: followup.template.name })}
          hint={m.followups_template_hint()}
          defaultChecked
        />
      ) : (
        <details className={styles.details}>
          <summary>{m.followups_template()}</summary>
          <div className={styles.group}>
            <p className={styles.hint}>{m.followups_template_hint()}</p>
            <TemplateFields draft={template} onChange={setTemplate} isChecked={faults.template !== undefined} />
          </div>
        </details>
      )}
    </DialogForm>
  );
}

/** A change takes a moment only, a new one also a delay, which counts from when the server has it. */
const momentAfter = (minutes: number, followup: Followup | undefined): When =>
  followup ? { due_at: new Date(Date.now() + minutes * minuteMs).toISOString() } : { delay_minutes: minutes };

const words: Readonly<Record<string, () => string>> = {
  lead_opted_out: m.followups_why_opted_out,
  followup_not_pending: m.followups_too_late,
};

/** What is wrong, with what it means for a follow-up. */
export const wordsOfFollowup = (error: unknown): string =>
  (error instanceof Failure && words[error.code]?.()) || wordsOf(error);
