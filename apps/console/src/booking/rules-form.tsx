import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Failure, faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Versioned } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import type { BookingRules } from '../calendar/booking.ts';
import { rulesQuery } from '../calendar/booking-queries.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { daysWith, minutesWith } from '../settings/choices.ts';
import { Section } from '../settings/section.tsx';
import styles from '../settings/settings.module.css';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { bookingChanged } from './changed.ts';
import { ExceptionsEditor } from './exceptions-editor.tsx';
import { HoursEditor } from './hours-editor.tsx';
import { RemindersEditor } from './reminders-editor.tsx';
import { type Draft, draftOf, faultsOf, rulesOf, wordsOfText } from './rules-draft.ts';

const steps = [5, 10, 15, 20, 30, 45, 60, 90, 120];
const buffers = [0, 5, 10, 15, 20, 30, 45, 60, 90, 120];
const notices = [0, 30, 60, 120, 240, 720, 1440, 2880, 10_080];
const horizons = [7, 14, 30, 60, 90, 180, 365, 730];

/** The members that have a field, which says what the server refuses. */
const shownMembers: readonly (keyof BookingRules)[] = [
  ...(['overlap', 'capacity', 'slot_step_minutes', 'buffer_before_minutes', 'buffer_after_minutes'] as const),
  ...(['minimum_notice_minutes', 'horizon_days', 'outside_hours', 'hours', 'exceptions'] as const),
  ...(['reminders', 'confirm_words', 'cancel_words'] as const),
];

const isConflict = (error: unknown): boolean => error instanceof Failure && error.code === 'version_mismatch';

type RulesFormProps = { readonly rules: Versioned<BookingRules>; readonly mayChange: boolean };

/** When the store is open, which times it offers, and what it reminds customers of. What the person has not touched shows what the server has. */
export function RulesForm({ rules, mayChange }: RulesFormProps) {
  const [changes, setChanges] = useState<Partial<Draft>>({});
  /** Of the version from which the changes are made. */
  const [etag, setEtag] = useState(rules.etag);
  const [isChecked, setChecked] = useState(false);
  const capacity = useRef<HTMLInputElement>(null);
  const before = draftOf(rules.data);
  const draft = { ...before, ...changes };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const locale = getLocale();
  const save = useMutation({
    mutationFn: (sent: Partial<Draft>) =>
      dataOf(
        platform.PUT('/booking/rules', {
          body: rulesOf({ ...before, ...sent }),
          headers: { 'if-match': etag },
        }),
      ),
    onSuccess: async (_, sent) => {
      await bookingChanged();
      // What was changed while it was being saved stays.
      setChanges((current) => (current === sent ? {} : current));
      setEtag(queries.getQueryData(rulesQuery.queryKey)?.etag ?? etag);
      setChecked(false);
      say(m.booking_saved());
    },
    onError: async (error) => {
      if (!isConflict(error)) return;
      // The next try is about the version that is there now, with what stands in the form.
      const now = await queries.fetchQuery({ ...rulesQuery, staleTime: 0 });
      if (now) setEtag(now.etag);
    },
  });
  const set = (part: Partial<Draft>) => {
    if (Object.keys(changes).length === 0) setEtag(rules.etag);
    setChanges({ ...changes, ...part });
  };
  const discard = () => {
    setChanges({});
    setChecked(false);
    save.reset();
  };
  const faults = faultsOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (faults.includes('capacity')) capacity.current?.focus();
    if (faults.length === 0 && isChanged && !save.isPending) save.mutate(changes);
  };
  const { error } = save;
  const refused = (member: string) => faultOf(error, `#/${member}`);
  const isSaid = shownMembers.some((member) => refused(member));
  useUnsaved({ isChanged, busy: save.isPending });
  const select = (
    member: 'slot_step_minutes' | 'buffer_before_minutes' | 'buffer_after_minutes' | 'minimum_notice_minutes',
    offered: readonly number[],
    label: string,
    { hint, none = m.booking_minutes_none() }: { hint?: string; none?: string } = {},
  ) => (
    <SelectField
      label={label}
      hint={hint}
      error={refused(member)}
      choices={minutesWith(locale, offered, draft[member], none)}
      value={draft[member]}
      onChange={({ target }) => set({ [member]: Number(target.value) })}
    />
  );
  const words = (part: 'confirmWords' | 'cancelWords', label: string, member: keyof BookingRules) => (
    <TextField
      label={label}
      hint={m.booking_words_hint()}
      error={isChecked && wordsOfText(draft[part]).length === 0 ? m.booking_words_missing() : refused(member)}
      maxLength={400}
      dir="auto"
      value={draft[part]}
      onChange={({ target }) => set({ [part]: target.value })}
    />
  );
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-label={m.booking_rules()}>
      <fieldset className={styles.all} disabled={!mayChange}>
        <Section title={m.booking_hours()} about={m.booking_hours_about()}>
          <HoursEditor
            label={m.booking_hours_always()}
            windows={draft.windows}
            isChecked={isChecked}
            error={refused('hours')}
            onChange={(windows) => set({ windows })}
          />
          <SelectField
            label={m.booking_outside_hours()}
            hint={m.booking_outside_hours_hint()}
            error={refused('outside_hours')}
            choices={[
              ['reject', m.booking_outside_hours_reject()],
              ['allow', m.booking_outside_hours_allow()],
            ]}
            value={draft.outside_hours}
            onChange={({ target }) => set({ outside_hours: target.value as Draft['outside_hours'] })}
          />
        </Section>
        <Section title={m.booking_exceptions()} about={m.booking_exceptions_about()}>
          <ExceptionsEditor
            exceptions={draft.exceptions}
            isChecked={isChecked}
            onChange={(exceptions) => set({ exceptions })}
          />
          {refused('exceptions') && <Bad>{refused('exceptions')}</Bad>}
        </Section>
        <Section title={m.booking_offers()} about={m.booking_offers_about()}>
          {select('slot_step_minutes', steps, m.booking_step())}
          {select('minimum_notice_minutes', notices, m.booking_notice(), {
            ...{ hint: m.booking_notice_hint(), none: m.booking_notice_none() },
          })}
          <SelectField
            label={m.booking_horizon()}
            error={refused('horizon_days')}
            choices={daysWith(locale, horizons, draft.horizon_days)}
            value={draft.horizon_days}
            onChange={({ target }) => set({ horizon_days: Number(target.value) })}
          />
          {select('buffer_before_minutes', buffers, m.booking_buffer_before())}
          {select('buffer_after_minutes', buffers, m.booking_buffer_after(), { hint: m.booking_buffer_hint() })}
        </Section>
        <Section title={m.booking_places()} about={m.booking_places_about()}>
          <SelectField
            label={m.booking_overlap()}
            error={refused('overlap')}
            choices={[
              ['reject', m.booking_overlap_reject()],
              ['allow', m.booking_overlap_allow()],
            ]}
            value={draft.overlap}
            onChange={({ target }) => set({ overlap: target.value as Draft['overlap'] })}
          />
          <TextField
            ref={capacity}
            label={m.booking_capacity()}
            hint={m.booking_capacity_hint()}
            error={isChecked && faults.includes('capacity') ? m.booking_capacity_wrong() : refused('capacity')}
            inputMode="numeric"
            maxLength={3}
            value={draft.capacity}
            onChange={({ target }) => set({ capacity: target.value })}
          />
        </Section>
        <Section title={m.booking_reminders()} about={m.booking_reminders_about()}>
          <RemindersEditor
            reminders={draft.reminders}
            isChecked={isChecked}
            onChange={(reminders) => set({ reminders })}
          />
          {refused('reminders') && <Bad>{refused('reminders')}</Bad>}
          {(draft.reminders.some(({ ask_confirmation }) => ask_confirmation) ||
            faults.includes('words') ||
            refused('confirm_words') ||
            refused('cancel_words')) && (
            <>
              {words('confirmWords', m.booking_confirm_words(), 'confirm_words')}
              {words('cancelWords', m.booking_cancel_words(), 'cancel_words')}
            </>
          )}
        </Section>
      </fieldset>
      {mayChange && (
        <div className={styles.bar}>
          {isConflict(error) && <Bad>{m.booking_conflict()}</Bad>}
          {error && !isConflict(error) && !isSaid && <Bad>{wordsOf(error)}</Bad>}
          <p className={styles.soft} aria-live="polite">
            {isChanged ? m.booking_not_saved() : m.settings_all_saved()}
          </p>
          <div className={styles.buttons}>
            {isChanged && <Button onClick={discard}>{m.settings_discard()}</Button>}
            <Button type="submit" kind="main" busy={save.isPending}>
              {isConflict(error) ? m.settings_save_mine() : m.settings_save()}
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}
