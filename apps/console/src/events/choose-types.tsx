import type { EventType } from '../api/platform.ts';
import { CheckField } from '../ui/field.tsx';
import styles from './choose-types.module.css';
import { typesByGroup } from './event-groups.ts';

type ChooseTypesProps = {
  readonly chosen: readonly EventType[];
  readonly onChoose: (types: readonly EventType[]) => void;
};

/** Boxes for the types of events, by what they are about. */
export const ChooseTypes = ({ chosen, onChoose }: ChooseTypesProps) => (
  <div className={styles.groups}>
    {typesByGroup().map(({ name, types }) => (
      <fieldset key={name} className={styles.group}>
        <legend className={styles.name}>{name}</legend>
        {types.map((type) => (
          <CheckField
            key={type}
            label={type}
            checked={chosen.includes(type)}
            onChange={() =>
              onChoose(chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type])
            }
          />
        ))}
      </fieldset>
    ))}
  </div>
);
