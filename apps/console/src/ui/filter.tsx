import styles from './filter.module.css';

type FilterProps<Value extends string> = {
  readonly label: string;
  readonly value: Value | undefined;
  readonly choices: readonly (readonly [Value, string])[];
  /** What it says when nothing is left out. */
  readonly all: string;
  readonly onChoose: (value: Value | undefined) => void;
};

/** Chooses which rows of a list are shown. */
export const Filter = <Value extends string>({ label, value, choices, all, onChoose }: FilterProps<Value>) => (
  <select
    aria-label={label}
    className={styles.filter}
    data-on={value !== undefined}
    value={value ?? ''}
    onChange={({ target }) => onChoose(choices.find(([choice]) => choice === target.value)?.[0])}
  >
    <option value="">{all}</option>
    {choices.map(([choice, text]) => (
      <option key={choice} value={choice}>
        {text}
      </option>
    ))}
  </select>
);
