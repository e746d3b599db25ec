import type { Seller } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Select } from '../ui/select.tsx';
import styles from './agents.module.css';
import { conditionRules, isList, valuesOf } from './condition-types.ts';
import { wordsOfValue } from './condition-words.ts';
import { type DraftCondition, isWithoutValue } from './draft.ts';

type ConditionValueProps = {
  readonly condition: DraftCondition;
  readonly label: string;
  readonly sellers: readonly Seller[];
  readonly onChange: (value: string) => void;
};

/** With what a condition compares: one of a list, several of a list, or a text. */
export function ConditionValue({ condition, label, sellers, onChange }: ConditionValueProps) {
  const { type, operator, value } = condition;
  // The form brings the focus to the first that lacks a value.
  const name = isWithoutValue(condition) ? 'conditions' : undefined;
  const chosen = valuesOf(operator, value);
  const choices = type === 'seller' ? sellerValues(sellers, chosen) : conditionRules[type].values;
  if (choices === undefined) {
    return (
      <input
        type="text"
        name={name}
        className={styles.text}
        aria-label={label}
        autoComplete="off"
        maxLength={500}
        placeholder={isList(operator) ? m.agents_value_several() : type === 'language' ? 'pt-BR' : undefined}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  if (!isList(operator)) {
    return (
      <Select
        look="field"
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {choices.map((one) => (
          <option key={one} value={one}>
            {wordsOfValue(type, one)}
          </option>
        ))}
      </Select>
    );
  }
  return (
    <fieldset className={styles.several} aria-label={label}>
      {choices.map((one) => (
        <label key={one}>
          <input
            type="checkbox"
            name={name}
            checked={chosen.includes(one)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(choices.filter((other) => (other === one ? checked : chosen.includes(other))).join(', '))
            }
          />
          {wordsOfValue(type, one)}
        </label>
      ))}
    </fieldset>
  );
}

/** No seller, those who can get a lead, and those that the condition names. */
const sellerValues = (sellers: readonly Seller[], chosen: readonly string[]): string[] => [
  ...new Set(['none', ...sellers.filter(({ is_active }) => is_active).map(({ id }) => id), ...chosen]),
];
