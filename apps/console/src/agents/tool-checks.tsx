import type { ReactNode } from 'react';
import { CheckField } from '../ui/field.tsx';
import styles from './tools.module.css';
import { type ToolName, toggled, wordsOfUse } from './tools.ts';

type ToolChecksProps<Name extends ToolName> = {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: readonly Name[];
  readonly hintOf?: (name: Name) => string | undefined;
  readonly onChoose: (chosen: Name[]) => void;
  readonly children?: ReactNode;
};

/** Chooses among what an agent can do. */
export const ToolChecks = <Name extends ToolName>(props: ToolChecksProps<Name>) => {
  const { label, names, chosen, hintOf, onChoose, children } = props;
  return (
    <fieldset className={styles.part}>
      <legend className={styles.heading}>{label}</legend>
      {names.map((name) => (
        <CheckField
          key={name}
          label={wordsOfUse(name)}
          hint={hintOf?.(name)}
          checked={chosen.includes(name)}
          onChange={() => onChoose(toggled(names, chosen, name))}
        />
      ))}
      {children}
    </fieldset>
  );
};
