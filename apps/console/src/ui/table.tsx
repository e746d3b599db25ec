import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import { Skeleton } from './skeleton.tsx';
import styles from './table.module.css';

export type Column<Row> = {
  readonly key: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** It takes the room that the other columns leave. */
  readonly wide?: boolean;
  readonly numeric?: boolean;
};

/** Which rows are chosen, for actions on several at once. */
type Selection<Row> = {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  readonly nameOf: (row: Row) => string;
};

type TableProps<Row> = {
  /** What the table is called for screen readers. */
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  /** Undefined while they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** What stands at the end of a row: mostly a menu. */
  readonly actions?: (row: Row) => ReactNode;
  /** What stands there instead of a table without rows. */
  readonly empty?: ReactNode;
  /** The query of the rows, when it has pages. */
  readonly more?: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  readonly selection?: Selection<Row>;
};

/** The class of the one link that a click anywhere in its row follows. */
export const rowLink = styles.link;
/** The class of several badges in one cell. */
export const cellBadges = styles.badges;
/** The class of what names a row that leads nowhere. */
export const rowName = styles.name;

/** Rows of one kind. Where there is little room, each row is a card. */
export function Table<Row>({ label, columns, rows, keyOf, actions, empty, more, selection }: TableProps<Row>) {
  if (rows?.length === 0 && !more?.hasNextPage) return empty;
  const allChosen = selection !== undefined && rows?.every((row) => selection.chosen.has(keyOf(row)));
  return (
    <div className={styles.room}>
      <div className={styles.frame}>
        <table className={styles.table} aria-label={label} aria-busy={rows === undefined}>
          <thead>
            <tr>
              {selection && (
                <th scope="col" className={styles.choice}>
                  <input
                    type="checkbox"
                    aria-label={m.ui_choose_all()}
                    checked={allChosen === true && rows !== undefined}
                    onChange={() => selection.onChoose(new Set(allChosen ? [] : rows?.map(keyOf)))}
                  />
                </th>
              )}
              {columns.map(({ key, label: name, wide, numeric }) => (
                <th key={key} scope="col" data-wide={wide} data-numeric={numeric}>
                  {name}
                </th>
              ))}
              {actions && <td />}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => <TableRow key={keyOf(row)} {...{ row, columns, keyOf, actions, selection }} />) ??
              [1, 2, 3].map((row) => <LoadingRow key={row} {...{ columns, actions, selection }} />)}
          </tbody>
        </table>
      </div>
      {more?.hasNextPage && (
        <Button busy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
          {m.ui_load_more()}
        </Button>
      )}
    </div>
  );
}

type RowProps<Row> = Pick<TableProps<Row>, 'columns' | 'keyOf' | 'actions' | 'selection'> & { readonly row: Row };

function TableRow<Row>({ row, columns, keyOf, actions, selection }: RowProps<Row>) {
  const key = keyOf(row);
  const chosen = selection?.chosen.has(key);
  const toggle = () => {
    const next = new Set(selection?.chosen);
    if (!next.delete(key)) next.add(key);
    selection?.onChoose(next);
  };
  return (
    <tr data-chosen={chosen}>
      {selection && (
        <td className={styles.choice}>
          <input
            type="checkbox"
            aria-label={m.ui_choose({ name: selection.nameOf(row) })}
            checked={chosen}
            onChange={toggle}
          />
        </td>
      )}
      {columns.map(({ key: column, label, cell, wide, numeric }, index) =>
        index === 0 ? (
          <th key={column} scope="row" data-wide={wide}>
            {cell(row)}
          </th>
        ) : (
          <td key={column} data-label={label} data-wide={wide} data-numeric={numeric}>
            <div className={styles.value}>{cell(row)}</div>
          </td>
        ),
      )}
      {actions && <td className={styles.actions}>{actions(row)}</td>}
    </tr>
  );
}

/** As high as a row, so that little moves when the rows arrive. */
function LoadingRow<Row>({ columns, actions, selection }: Pick<RowProps<Row>, 'columns' | 'actions' | 'selection'>) {
  return (
    <tr>
      {selection && <td className={styles.choice} />}
      {columns.map(({ key, label, wide }, index) => (
        <td key={key} data-label={index === 0 ? undefined : label} data-wide={wide}>
          <Skeleton width={index === 0 ? 'long' : 'short'} />
        </td>
      ))}
      {actions && <td className={styles.actions} />}
    </tr>
  );
}
