import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Bad } from '../ui/page.tsx';
import { nameOfWeekday, weekdays } from './choices.ts';
import { type ItemProps, ListEditor } from './list-editor.tsx';
import styles from './settings.module.css';
import { faultOfWindow, firstWindow, type Window } from './settings-draft.ts';
import { TimeRange } from './time-range.tsx';

const mostWindows = 50;

const faultWords = { no_days: m.settings_window_days, no_time: m.settings_window_order };

/** What the windows are called. */
export type WindowWords = {
  readonly none: () => string;
  readonly name: (input: { number: number }) => string;
  readonly add: () => string;
  readonly remove: (input: { number: number }) => string;
};

type WindowsEditorProps = {
  readonly words: WindowWords;
  readonly windows: readonly Window[];
  /** Whether it says what is wrong. */
  readonly isChecked: boolean;
  readonly onChange: (windows: Window[]) => void;
};

/** The times of a week at which something may be. */
export function WindowsEditor({ words, windows, isChecked, onChange }: WindowsEditorProps) {
  return (
    <ListEditor
      items={windows}
      none={words.none()}
      add={words.add()}
      most={mostWindows}
      made={() => windows.at(-1) ?? firstWindow}
      onChange={onChange}
    >
      {(window, props) => <WindowFields words={words} window={window} isChecked={isChecked} {...props} />}
    </ListEditor>
  );
}

type WindowFieldsProps = ItemProps<Window> & {
  readonly words: WindowWords;
  readonly window: Window;
  readonly isChecked: boolean;
};

function WindowFields({ words, number, window, isChecked, onChange, onRemove }: WindowFieldsProps) {
  const fault = isChecked ? faultOfWindow(window) : undefined;
  return (
    <fieldset className={styles.window} aria-label={words.name({ number })}>
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
      <TimeRange range={window} remove={words.remove({ number })} onChange={onChange} onRemove={onRemove} />
      {fault && <Bad>{faultWords[fault]()}</Bad>}
    </fieldset>
  );
}
