import { X } from 'lucide-react';
import type { BookingRules } from '../calendar/booking.ts';
import { m } from '../paraglide/messages.js';
import { type ItemProps, ListEditor } from '../settings/list-editor.tsx';
import styles from '../settings/settings.module.css';
import { TimeRange } from '../settings/time-range.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { faultOfException } from './rules-draft.ts';

type Exception = BookingRules['exceptions'][number];

const mostExceptions = 400;
const mostHours = 20;
const faultWords = {
  no_date: m.booking_exception_no_date,
  twice: m.booking_exception_twice,
  no_time: m.settings_window_order,
};

type ExceptionsEditorProps = {
  readonly exceptions: readonly Exception[];
  /** Whether it says what is wrong. */
  readonly isChecked: boolean;
  readonly onChange: (exceptions: Exception[]) => void;
};

/** Days with other hours than those of the week, such as holidays. */
export function ExceptionsEditor({ exceptions, isChecked, onChange }: ExceptionsEditorProps) {
  return (
    <ListEditor
      items={exceptions}
      add={m.booking_exception_add()}
      most={mostExceptions}
      made={() => ({ date: '', hours: [] })}
      onChange={onChange}
    >
      {(exception, props) => {
        const fault = isChecked ? faultOfException(exceptions, props.number - 1) : undefined;
        return <ExceptionFields exception={exception} fault={fault && faultWords[fault]()} {...props} />;
      }}
    </ListEditor>
  );
}

type ExceptionFieldsProps = ItemProps<Exception> & {
  readonly exception: Exception;
  readonly fault: string | undefined;
};

function ExceptionFields({ number, exception, fault, onChange, onRemove }: ExceptionFieldsProps) {
  const { date, hours } = exception;
  const changeHours = (next: Exception['hours']) => onChange({ date, hours: next });
  return (
    <fieldset className={styles.window} aria-label={m.booking_exception({ number })}>
      <div className={styles.times}>
        <TextField
          type="date"
          label={m.booking_exception_date()}
          value={date}
          onChange={({ target }) => onChange({ date: target.value, hours })}
        />
        <Button kind="bare" aria-label={m.booking_exception_remove({ number })} onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      </div>
      {hours.length === 0 && <p className={styles.soft}>{m.booking_exception_closed()}</p>}
      {hours.map((opening, index) => (
        <TimeRange
          key={index}
          range={opening}
          remove={m.booking_exception_hours_remove({ number: index + 1 })}
          onChange={(next) => changeHours(hours.with(index, next))}
          onRemove={() => changeHours(hours.toSpliced(index, 1))}
        />
      ))}
      {hours.length < mostHours && (
        <Button className={styles.add} onClick={() => changeHours([...hours, { from: '09:00', to: '12:00' }])}>
          {m.booking_exception_hours_add()}
        </Button>
      )}
      {fault && <Bad>{fault}</Bad>}
    </fieldset>
  );
}
