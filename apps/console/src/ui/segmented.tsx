import { useId } from 'react';
import styles from './segmented.module.css';

/** For buttons that look the same. */
export const segmentedLook = { frame: styles.segmented, choice: styles.choice };

type SegmentedProps<Value extends string> = {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, text: string])[];
  readonly onChoose: (value: Value) => void;
};

/** One of a few values, all of them in sight. Arrow keys move between them. */
export function Segmented<Value extends string>({ label, value, choices, onChoose }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.segmented} aria-label={label}>
      {choices.map(([choice, text]) => (
        <label key={choice} className={styles.choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChoose(choice)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
