import { Combobox } from '@base-ui/react/combobox';
import type { ReactNode, Ref } from 'react';
import { Field, type FieldProps } from './field.tsx';
import styles from './picker.module.css';

type PickerProps<Item> = FieldProps & {
  readonly items: readonly Item[];
  /** Whether an item is found by what is typed. Null: the items are what was found. */
  readonly filter: ((item: Item, typed: string) => boolean) | null;
  readonly onType?: (text: string) => void;
  readonly value: Item | null;
  readonly onChoose: (item: Item | null) => void;
  readonly keyOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** What stands beside the name. */
  readonly moreOf: (item: Item) => ReactNode;
  /** What it says when nothing is found. */
  readonly none: ReactNode;
  readonly placeholder?: string;
  readonly ref?: Ref<HTMLInputElement> | undefined;
};

/** The most that are shown at once. */
const mostShown = 50;

/** One of many, found by typing. */
export function Picker<Item>(props: PickerProps<Item>) {
  const { label, hint, error, items, filter, onType, value, onChoose, keyOf, nameOf, moreOf, none } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Combobox.Root
          items={items}
          filter={filter}
          limit={mostShown}
          value={value}
          onValueChange={onChoose}
          onInputValueChange={onType}
          itemToStringLabel={nameOf}
          isItemEqualToValue={(one: Item, other: Item) => keyOf(one) === keyOf(other)}
          autoHighlight
        >
          <Combobox.Input ref={props.ref} placeholder={props.placeholder} maxLength={100} {...control} />
          <Combobox.Portal>
            <Combobox.Positioner className={styles.positioner} sideOffset={4}>
              <Combobox.Popup className={styles.popup}>
                <Combobox.Empty>{none && <div className={styles.none}>{none}</div>}</Combobox.Empty>
                <Combobox.List aria-label={label}>
                  {(item: Item) => (
                    <Combobox.Item key={keyOf(item)} value={item} className={styles.item}>
                      <bdi className={styles.name}>{nameOf(item)}</bdi>
                      <span className={styles.soft}>{moreOf(item)}</span>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}
