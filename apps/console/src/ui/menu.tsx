import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './menu.module.css';

type MenuProps = {
  readonly trigger: ReactElement;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
};

export function Menu({ trigger, side = 'bottom', align = 'end', children }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} side={side} align={align} sideOffset={4}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type MenuItemProps = {
  readonly icon: ReactNode;
  readonly danger?: boolean;
  readonly onClick?: () => void;
  readonly render?: ReactElement;
  readonly children: ReactNode;
};

export const MenuItem = ({ icon, danger, onClick, render, children }: MenuItemProps) => (
  <Base.Item className={styles.item} data-danger={danger || undefined} onClick={onClick} render={render}>
    {icon}
    {children}
  </Base.Item>
);

type MenuGroupProps = {
  readonly label: string;
  readonly children: ReactNode;
};

/** Items about what the label says. */
export const MenuGroup = ({ label, children }: MenuGroupProps) => (
  <Base.Group>
    <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
    {children}
  </Base.Group>
);

type MenuChoiceProps<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
};

/** One of several values. The menu closes with the choice. */
export function MenuChoice<Value extends string>({ label, value, choices, onChoose }: MenuChoiceProps<Value>) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChoose}>
      <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
      {choices.map(([choice, text]) => (
        <Base.RadioItem key={choice} value={choice} className={styles.item} closeOnClick>
          <span className={styles.check}>
            <Base.RadioItemIndicator>
              <Check size={14} />
            </Base.RadioItemIndicator>
          </span>
          {text}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

export const MenuSeparator = () => <Base.Separator className={styles.separator} />;
