import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type StoreSettings } from '../api/platform.ts';
import { keep, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Button } from '../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { countries, idleTimesWith, languagesWith, waitsWith } from './choices.ts';
import { settingsQuery } from './queries.ts';
import { Section } from './section.tsx';
import styles from './settings.module.css';
import {
  changed,
  conflictsOf,
  type Draft,
  faultsOf,
  type Member,
  madeFrom,
  membersOf,
  noChanges,
} from './settings-draft.ts';
import { WindowsEditor, type WindowWords } from './windows-editor.tsx';
import { ZoneField } from './zone-field.tsx';

const labels: Record<Member, () => string> = {
  name: m.settings_name,
  timezone: m.settings_zone,
  locale: m.settings_language,
  country: m.settings_country,
  session_idle_hours: m.settings_idle,
  message_wait_seconds: m.settings_wait,
  opt_out_stops_api: m.settings_opt_out,
  sending_windows: m.settings_followups,
  calendar_customer: m.settings_customer,
};
const sendingWords: WindowWords = {
  none: m.settings_windows_always,
  name: m.settings_window,
  add: m.settings_window_add,
  remove: m.settings_window_remove,
};
const inWords = (members: readonly Member[]): string =>
  new Intl.ListFormat(getLocale()).format(members.map((member) => labels[member]()));

/** The settings as they are now. With `conflicts` somebody else has changed these meanwhile, and nothing was saved. */
type Outcome = { readonly now: StoreSettings; readonly conflicts: readonly Member[] };

/** Saves the changes, unless that would undo a change of somebody else, which the person has not seen. */
async function save(draft: Draft): Promise<Outcome> {
  const theirs = await queries.fetchQuery(settingsQuery);
  const conflicts = conflictsOf(draft, theirs);
  if (conflicts.length > 0) return { now: theirs, conflicts };
  const now = await dataOf(platform.PATCH('/settings', { body: draft.to }));
  await keep(settingsQuery, now);
  return { now, conflicts };
}

type SettingsFormProps = { readonly settings: StoreSettings; readonly mayChange: boolean };

/** All settings in one form. What the person has not touched shows what the server has. */
export function SettingsForm({ settings, mayChange }: SettingsFormProps) {
  const [draft, setDraft] = useState(noChanges);
  const [faults, setFaults] = useState<readonly Member[]>([]);
  const locale = getLocale();
  const name = useRef<HTMLInputElement>(null);
  const saved = useMutation({
    mutationFn: save,
    onSuccess: async ({ now, conflicts }, sent) => {
      const isSaved = conflicts.length === 0;
      setDraft((draft) => (isSaved && draft === sent ? noChanges : madeFrom(now, draft)));
      if (!isSaved) return;
      say(m.settings_was_saved());
      // The name, the clock and the days of every screen may be others now.
      await queries.invalidateQueries();
    },
  });
  const shown = { ...settings, ...draft.to };
  const set = <Name extends Member>(member: Name, value: NonNullable<StoreSettings[Name]>) => {
    setDraft(changed(draft, settings, member, value));
    setFaults(faults.filter((one) => one !== member));
  };
  const discard = () => {
    setDraft(noChanges);
    setFaults([]);
    saved.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(draft);
    setFaults(found);
    if (found.includes('name')) name.current?.focus();
    if (found.length === 0 && membersOf(draft).length > 0 && !saved.isPending) saved.mutate(draft);
  };
  const { error, data: { conflicts = [] } = {} } = saved;
  const refused = (member: Member, words: string) =>
    faults.includes(member) || faultOf(error, `#/${member}`) ? words : undefined;
  const isSaid = (['name', 'timezone', 'sending_windows'] as const).some((member) => faultOf(error, `#/${member}`));
  const unsaved = membersOf(draft);
  useUnsaved({ isChanged: unsaved.length > 0, busy: saved.isPending });
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <fieldset className={styles.all} disabled={!mayChange}>
        <Section title={m.settings_store()} about={m.settings_store_about()}>
          <TextField
            ref={name}
            label={m.settings_name()}
            hint={m.settings_name_hint()}
            error={refused('name', m.settings_name_missing())}
            maxLength={200}
            dir="auto"
            value={shown.name}
            onChange={({ target }) => set('name', target.value)}
          />
          <ZoneField
            error={refused('timezone', m.settings_zone_bad())}
            value={shown.timezone}
            onChoose={(zone) => set('timezone', zone)}
          />
          <SelectField
            label={m.settings_language()}
            hint={m.settings_language_hint()}
            choices={languagesWith(locale, shown.locale)}
            value={shown.locale}
            onChange={({ target }) => set('locale', target.value)}
          />
          <SelectField
            label={m.settings_country()}
            hint={m.settings_country_hint()}
            choices={[
              ...(shown.country === null ? [['', m.settings_country_unknown()] as const] : []),
              ...countries(locale),
            ]}
            value={shown.country ?? ''}
            onChange={({ target }) => set('country', target.value)}
          />
        </Section>
        <Section title={m.settings_followups()} about={m.settings_followups_about()}>
          <WindowsEditor
            words={sendingWords}
            windows={shown.sending_windows}
            isChecked={refused('sending_windows', 'bad') !== undefined}
            onChange={(windows) => set('sending_windows', windows)}
          />
        </Section>
        <Section title={m.settings_conversations()} about={m.settings_conversations_about()}>
          <SelectField
            label={m.settings_idle()}
            hint={m.settings_idle_hint()}
            choices={idleTimesWith(locale, shown.session_idle_hours)}
            value={shown.session_idle_hours}
            onChange={({ target }) => set('session_idle_hours', Number(target.value))}
          />
          <SelectField
            label={m.settings_wait()}
            hint={m.settings_wait_hint()}
            choices={waitsWith(locale, shown.message_wait_seconds, m.settings_wait_none())}
            value={shown.message_wait_seconds}
            onChange={({ target }) => set('message_wait_seconds', Number(target.value))}
          />
          <CheckField
            label={m.settings_opt_out()}
            hint={m.settings_opt_out_hint()}
            checked={shown.opt_out_stops_api}
            onChange={({ target }) => set('opt_out_stops_api', target.checked)}
          />
        </Section>
        <Section title={m.settings_calendar()} about={m.settings_calendar_about()}>
          <CheckField
            label={m.settings_customer()}
            hint={m.settings_customer_hint()}
            checked={shown.calendar_customer}
            onChange={({ target }) => set('calendar_customer', target.checked)}
          />
        </Section>
      </fieldset>
      {mayChange && (
        <div className={styles.bar}>
          {conflicts.length > 0 && <Bad>{m.settings_changed_meanwhile({ members: inWords(conflicts) })}</Bad>}
          {error && !isSaid && <Bad>{wordsOf(error)}</Bad>}
          <p className={styles.soft} aria-live="polite">
            {unsaved.length > 0 ? m.settings_not_saved({ members: inWords(unsaved) }) : m.settings_all_saved()}
          </p>
          <div className={styles.buttons}>
            {unsaved.length > 0 && <Button onClick={discard}>{m.settings_discard()}</Button>}
            <Button type="submit" kind="main" busy={saved.isPending}>
              {conflicts.length > 0 ? m.settings_save_mine() : m.settings_save()}
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}
