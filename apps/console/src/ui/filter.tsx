import { Select } from './select.tsx';

type FilterProps<Value extends string> = {
  readonly label: string;
  readonly value: Value | undefined;
  readonly choices: readonly (readonly [Value, string])[];
  /** What it says when nothing is left out. */
  readonly all: string;
  readonly onChoose: (value: Value | undefined) => void;
  readonly className?: string | undefined;
};

/** Chooses which rows of a list are shown. */
export const Filter = <Value extends string>(props: FilterProps<Value>) => {
  const { label, value, choices, all, onChoose, className } = props;
  return (
    <Select
      look="filter"
      className={className}
      on={value !== undefined}
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChoose(choices.find(([choice]) => choice === target.value)?.[0])}
    >
      <option value="">{all}</option>
      {choices.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </Select>
  );
};
