import { Plus } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './settings.module.css';

/** What the fields of an item get. */
export type ItemProps<Item> = {
  /** Its place in the list: the first is 1. */
  readonly number: number;
  readonly onChange: (item: Item) => void;
  readonly onRemove: () => void;
};

type ListEditorProps<Item> = {
  readonly items: readonly Item[];
  /** What stands in place of an empty list. */
  readonly none?: string;
  /** What the button that adds an item is called. */
  readonly add: string;
  readonly most: number;
  readonly made: () => Item;
  readonly onChange: (items: Item[]) => void;
  readonly children: (item: Item, props: ItemProps<Item>) => ReactNode;
};

/** A list to which items are added, and in which each is changed or removed. */
export function ListEditor<Item>({ items, none, add, most, made, onChange, children }: ListEditorProps<Item>) {
  return (
    <div className={styles.windows}>
      {none && items.length === 0 && <p className={styles.soft}>{none}</p>}
      {items.map((item, index) => (
        <Fragment key={index}>
          {children(item, {
            number: index + 1,
            onChange: (next) => onChange(items.with(index, next)),
            onRemove: () => onChange(items.toSpliced(index, 1)),
          })}
        </Fragment>
      ))}
      {items.length < most && (
        <Button className={styles.add} onClick={() => onChange([...items, made()])}>
          <Plus size={14} aria-hidden />
          {add}
        </Button>
      )}
    </div>
  );
}
