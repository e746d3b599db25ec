import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { sellersQuery } from '../api/queries.ts';
import { HoursEditor } from '../booking/hours-editor.tsx';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { nameOfZone } from '../ui/clock.ts';
import { Bad } from '../ui/page.tsx';
import { Select } from '../ui/select.tsx';
import styles from './agents.module.css';
import { conditionRules, conditionTypes } from './condition-types.ts';
import { ConditionValue } from './condition-value.tsx';
import { typeWords, wordsOfOperator } from './condition-words.ts';
import {
  type DraftCondition,
  type DraftGroup,
  isWithoutValue,
  mostConditions,
  mostGroups,
  newCondition,
  newGroup,
  withOperator,
} from './draft.ts';

type ConditionEditorProps = {
  readonly groups: readonly DraftGroup[];
  /** Whether it says which conditions lack a value. */
  readonly isChecked: boolean;
  readonly onChange: (groups: readonly DraftGroup[]) => void;
};

/** Groups of conditions: all of a group must hold, and one group is enough. */
export function ConditionEditor({ groups, isChecked, onChange }: ConditionEditorProps) {
  const replace = (key: string, conditions: readonly DraftCondition[]) =>
    onChange(
      groups
        .map((group) => (group.key === key ? { ...group, conditions } : group))
        .filter((group) => group.conditions.length > 0),
    );
  return (
    <fieldset className={styles.part}>
      <legend className={styles.heading}>{m.agents_when()}</legend>
      {groups.length === 0 && <p className={styles.soft}>{m.agents_no_conditions()}</p>}
      {groups.map((group, index) => (
        <div key={group.key} className={styles.group}>
          {index > 0 && <span className={styles.or}>{m.agents_or()}</span>}
          <fieldset className={styles.box} aria-label={m.agents_group({ number: index + 1 })}>
            {group.conditions.map((condition, place) => (
              <ConditionFields
                key={condition.key}
                condition={condition}
                number={place + 1}
                isChecked={isChecked}
                onChange={(next) =>
                  replace(
                    group.key,
                    group.conditions.map((one) => (one === condition ? next : one)),
                  )
                }
                onRemove={() =>
                  replace(
                    group.key,
                    group.conditions.filter((one) => one !== condition),
                  )
                }
              />
            ))}
            {group.conditions.length < mostConditions && (
              <Button
                kind="bare"
                className={styles.add}
                onClick={() => replace(group.key, [...group.conditions, newCondition()])}
              >
                <Plus size={14} aria-hidden />
                {m.agents_condition_add()}
              </Button>
            )}
          </fieldset>
        </div>
      ))}
      {groups.length < mostGroups && (
        <Button className={styles.add} onClick={() => onChange([...groups, newGroup()])}>
          <Plus size={14} aria-hidden />
          {groups.length === 0 ? m.agents_group_first() : m.agents_group_add()}
        </Button>
      )}
    </fieldset>
  );
}

type ConditionFieldsProps = {
  readonly condition: DraftCondition;
  readonly number: number;
  readonly isChecked: boolean;
  readonly onChange: (condition: DraftCondition) => void;
  readonly onRemove: () => void;
};

/** What is compared, how, and with what. */
function ConditionFields({ condition, number, isChecked, onChange, onRemove }: ConditionFieldsProps) {
  const { data: sellers = [] } = useQuery(sellersQuery);
  const { type, operator, own } = condition;
  const { operators } = conditionRules[type];
  return (
    <div className={styles.condition}>
      <div className={styles.row}>
        <span className={styles.and}>{number === 1 ? m.agents_if() : m.agents_and()}</span>
        <Select
          look="field"
          className={styles.select}
          aria-label={m.agents_condition_what({ number })}
          value={type}
          onChange={({ currentTarget }) => {
            const next = conditionTypes.find((one) => one === currentTarget.value) ?? type;
            onChange({ ...newCondition(next), key: condition.key });
          }}
        >
          {conditionTypes.map((one) => (
            <option key={one} value={one}>
              {typeWords[one]()}
            </option>
          ))}
        </Select>
        {operators.length > 1 && (
          <Select
            look="field"
            className={styles.select}
            aria-label={m.agents_condition_how({ number })}
            value={operator}
            onChange={({ currentTarget }) =>
              onChange(withOperator(condition, operators.find((one) => one === currentTarget.value) ?? operator))
            }
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {wordsOfOperator(type, one)}
              </option>
            ))}
          </Select>
        )}
        <Button kind="bare" aria-label={m.agents_condition_remove({ number })} onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      </div>
      <ConditionValue
        condition={condition}
        label={m.agents_condition({ number })}
        sellers={sellers}
        onChange={(value) => onChange({ ...condition, value })}
      />
      {type === 'business_hours' && (
        <HoursEditor
          label={m.agents_hours_of_rules()}
          windows={own?.windows ?? null}
          isChecked={isChecked}
          error={isChecked && own?.windows.length === 0 ? m.agents_hours_missing() : undefined}
          onChange={(windows) => onChange({ ...condition, own: windows ? { ...own, windows } : undefined })}
        />
      )}
      {own?.timezone && <p className={styles.soft}>{m.agents_hours_zone({ zone: nameOfZone(own.timezone) })}</p>}
      {isChecked && isWithoutValue(condition) && <Bad>{m.agents_condition_missing()}</Bad>}
    </div>
  );
}
