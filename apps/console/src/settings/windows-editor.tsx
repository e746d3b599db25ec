import { Plus, X } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { nameOfWeekday, timesWith, weekdays } from './choices.ts';
import styles from './settings.module.css';
import { faultOfWindow, type Window } from './settings-draft.ts';

const mostWindows = 50;
const first: Window = { weekdays: weekdays.slice(0, 5), from: '09:00', to: '18:00' };

const faultWords = { no_days: m.settings_window_days, no_time: m.settings_window_order };

type WindowsEditorProps = {
  readonly windows: readonly Window[];
  /** Whether it says what is wrong. */
  readonly isChecked: boolean;
  readonly onChange: (windows: Window[]) => void;
};

/** When follow-ups may be sent. Without a window: always. */
export function WindowsEditor({ windows, isChecked, onChange }: WindowsEditorProps) {
  return (
    <div className={styles.windows}>
      {windows.length === 0 && <p className={styles.soft}>{m.settings_windows_always()}</p>}
      {windows.map((window, index) => (
        <WindowFields
          key={index}
          number={index + 1}
          window={window}
          isChecked={isChecked}
          onChange={(next) => onChange(windows.with(index, next))}
          onRemove={() => onChange(windows.toSpliced(index, 1))}
        />
      ))}
      {windows.length < mostWindows && (
        <Button className={styles.add} onClick={() => onChange([...windows, windows.at(-1) ?? first])}>
          <Plus size={14} aria-hidden />
          {m.settings_window_add()}
        </Button>
      )}
    </div>
  );
}

type WindowFieldsProps = {
  readonly number: number;
  readonly window: Window;
  readonly isChecked: boolean;
  readonly onChange: (window: Window) => void;
  readonly onRemove: () => void;
};

function WindowFields({ number, window, isChecked, onChange, onRemove }: WindowFieldsProps) {
  const fault = isChecked ? faultOfWindow(window) : undefined;
  return (
    <fieldset className={styles.window} aria-label={m.settings_window({ number })}>
      <div className={styles.days}>
        {weekdays.map((day) => (
          <label key={day} className={styles.day}>
            <input
              type="checkbox"
              aria-label={nameOfWeekday(getLocale(), day, 'long')}
              checked={window.weekdays.includes(day)}
              onChange={({ target }) =>
                onChange({
                  ...window,
                  weekdays: weekdays.filter((one) => (one === day ? target.checked : window.weekdays.includes(one))),
                })
              }
            />
            <span aria-hidden>{nameOfWeekday(getLocale(), day, 'short')}</span>
          </label>
        ))}
      </div>
      <div className={styles.times}>
        {(['from', 'to'] as const).map((end) => (
          <SelectField
            key={end}
            label={end === 'from' ? m.settings_window_from() : m.settings_window_to()}
            choices={timesWith(window[end], end)}
            value={window[end]}
            onChange={({ target }) => onChange({ ...window, [end]: target.value })}
          />
        ))}
        <Button kind="bare" aria-label={m.settings_window_remove({ number })} onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      </div>
      {fault && <Bad>{faultWords[fault]()}</Bad>}
    </fieldset>
  );
}
