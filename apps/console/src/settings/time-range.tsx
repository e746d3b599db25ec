import { X } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { timesWith } from './choices.ts';
import styles from './settings.module.css';

type Range = { readonly from: string; readonly to: string };

type TimeRangeProps<T extends Range> = {
  readonly range: T;
  /** What the button says that removes it. */
  readonly remove: string;
  readonly onChange: (range: T) => void;
  readonly onRemove: () => void;
};

/** When something begins and ends, by the clock. */
export const TimeRange = <T extends Range>({ range, remove, onChange, onRemove }: TimeRangeProps<T>) => (
  <div className={styles.times}>
    {(['from', 'to'] as const).map((end) => (
      <SelectField
        key={end}
        label={end === 'from' ? m.settings_window_from() : m.settings_window_to()}
        choices={timesWith(range[end], end)}
        value={range[end]}
        onChange={({ target }) => onChange({ ...range, [end]: target.value })}
      />
    ))}
    <Button kind="bare" aria-label={remove} onClick={onRemove}>
      <X size={14} aria-hidden />
    </Button>
  </div>
);
