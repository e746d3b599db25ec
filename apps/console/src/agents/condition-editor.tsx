import { Plus, X } from 'lucide-react';
import { isLeadStatus, leadStatuses, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import styles from './agents.module.css';
import { type DraftCondition, type DraftGroup, mostConditions, mostGroups, newCondition, newGroup } from './draft.ts';

type ConditionEditorProps = {
  readonly groups: readonly DraftGroup[];
  readonly onChange: (groups: readonly DraftGroup[]) => void;
};

/** Groups of conditions: all of a group must hold, and one group is enough. */
export function ConditionEditor({ groups, onChange }: ConditionEditorProps) {
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
              <div key={condition.key} className={styles.row}>
                <span className={styles.and}>{place === 0 ? m.agents_if_status() : m.agents_and_status()}</span>
                <Select
                  look="field"
                  className={styles.select}
                  aria-label={m.agents_condition({ number: place + 1 })}
                  value={condition.status}
                  onChange={({ currentTarget: { value } }) =>
                    isLeadStatus(value) &&
                    replace(
                      group.key,
                      group.conditions.map((one) => (one === condition ? { ...one, status: value } : one)),
                    )
                  }
                >
                  {leadStatuses.map((status) => (
                    <option key={status} value={status}>
                      {wordsOfStatus(status)}
                    </option>
                  ))}
                </Select>
                <Button
                  kind="bare"
                  aria-label={m.agents_condition_remove({ number: place + 1 })}
                  onClick={() =>
                    replace(
                      group.key,
                      group.conditions.filter((one) => one !== condition),
                    )
                  }
                >
                  <X size={14} aria-hidden />
                </Button>
              </div>
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
