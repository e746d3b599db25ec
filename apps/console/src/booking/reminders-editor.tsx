import { X } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { minutesWith } from '../settings/choices.ts';
import { ListEditor } from '../settings/list-editor.tsx';
import styles from '../settings/settings.module.css';
import { noTemplate } from '../templates/template.ts';
import { TemplateFields } from '../templates/template-fields.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, SelectField, TextArea } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { faultOfReminder, type ReminderDraft, type ReminderFault } from './rules-draft.ts';

const mostReminders = 5;
/** The usual ones come first: a new reminder gets the first that no other has. */
const offered = [1440, 120, 60, 2880, 30, 240, 720, 4320, 10_080, 15];

const placeholders = { name: '{{name}}', service: '{{service}}', time: '{{time}}', link: '{{calendar_link}}' };

const faultWords: Record<ReminderFault, () => string> = {
  no_message: m.booking_reminder_no_message,
  twice: m.booking_reminder_twice,
  placeholder: () => m.booking_reminder_placeholder(placeholders),
  no_value: m.booking_reminder_template_incomplete,
};

type RemindersEditorProps = {
  readonly reminders: readonly ReminderDraft[];
  /** Whether it says what is wrong. */
  readonly isChecked: boolean;
  readonly onChange: (reminders: ReminderDraft[]) => void;
};

/** What customers are told before their appointments. */
export function RemindersEditor({ reminders, isChecked, onChange }: RemindersEditorProps) {
  const free = offered.find((minutes) => reminders.every(({ minutes_before }) => minutes_before !== minutes));
  const made = () => {
    const message = m.booking_reminder_text(placeholders);
    return { minutes_before: free ?? 60, message, template: null, ask_confirmation: false, draft: noTemplate };
  };
  return (
    <ListEditor
      items={reminders}
      none={m.booking_reminders_none()}
      add={m.booking_reminder_add()}
      most={mostReminders}
      made={made}
      onChange={onChange}
    >
      {(reminder, { number, onChange: change, onRemove }) => (
        <ReminderFields
          number={number}
          reminder={reminder}
          fault={isChecked ? faultOfReminder(reminders, number - 1) : undefined}
          onChange={(part) => change({ ...reminder, ...part })}
          onRemove={onRemove}
        />
      )}
    </ListEditor>
  );
}

type ReminderFieldsProps = {
  readonly number: number;
  readonly reminder: ReminderDraft;
  readonly fault: ReminderFault | undefined;
  readonly onChange: (part: Partial<ReminderDraft>) => void;
  readonly onRemove: () => void;
};

function ReminderFields({ number, reminder, fault, onChange, onRemove }: ReminderFieldsProps) {
  const { minutes_before, message, ask_confirmation } = reminder;
  return (
    <fieldset className={styles.window} aria-label={m.booking_reminder({ number })}>
      <div className={styles.times}>
        <SelectField
          label={m.booking_reminder_before()}
          choices={minutesWith(getLocale(), offered, minutes_before, m.booking_minutes_none())}
          value={minutes_before}
          onChange={({ target }) => onChange({ minutes_before: Number(target.value) })}
        />
        <Button kind="bare" aria-label={m.booking_reminder_remove({ number })} onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      </div>
      <TextArea
        label={m.booking_reminder_message()}
        hint={m.booking_reminder_hint(placeholders)}
        maxLength={1000}
        dir="auto"
        value={message}
        onChange={({ target }) => onChange({ message: target.value })}
      />
      <CheckField
        label={m.booking_reminder_ask()}
        hint={m.booking_reminder_ask_hint()}
        checked={ask_confirmation}
        onChange={({ target }) => onChange({ ask_confirmation: target.checked })}
      />
      <Instead reminder={reminder} isChecked={fault === 'no_value'} onChange={onChange} />
      {fault && <Bad>{faultWords[fault]()}</Bad>}
    </fieldset>
  );
}

type InsteadProps = Pick<ReminderFieldsProps, 'reminder' | 'onChange'> & { readonly isChecked: boolean };

/** What is sent instead when the channel takes no free text: the template that the reminder has, or one that is chosen. */
function Instead({ reminder, isChecked, onChange }: InsteadProps) {
  const { template, draft } = reminder;
  if (template) {
    return (
      <CheckField
        label={m.followups_keep_template({ name: template.name })}
        hint={m.followups_template_hint()}
        checked
        onChange={() => onChange({ template: null })}
      />
    );
  }
  return (
    <details>
      <summary>{m.followups_template()}</summary>
      <div className={styles.windows}>
        <p className={styles.soft}>
          {m.followups_template_hint()} {m.booking_reminder_hint(placeholders)}
        </p>
        <TemplateFields draft={draft} onChange={(chosen) => onChange({ draft: chosen })} isChecked={isChecked} />
      </div>
    </details>
  );
}
