import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agentsQuery } from '../agents/agent-queries.ts';
import { m } from '../paraglide/messages.js';
import { LoadFailed } from '../ui/load-failed.tsx';
import { numberText } from '../ui/numbers.ts';
import { Segmented } from '../ui/segmented.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { dayText } from '../ui/time.ts';
import { money } from './formats.ts';
import { usageQuery } from './queries.ts';
import type { Period } from './report-search.ts';
import styles from './reports.module.css';
import { isUsageShown, type UsagePart, type UsageRow, usageBy, usageParts } from './usage-by.ts';

const partWords: Readonly<Record<UsagePart, () => string>> = {
  day: m.reports_usage_by_day,
  agent_id: m.reports_usage_by_agent,
  model: m.reports_usage_by_model,
};

/** What the AI has used in the period. Nothing, when no model was asked. */
export function AiUsage({ period }: { readonly period: Period }) {
  const [part, setPart] = useState<UsagePart>('day');
  const isShown = isUsageShown(period);
  const { data: usage, error, refetch } = useQuery({ ...usageQuery(period), enabled: isShown });
  const { data: agents } = useQuery(agentsQuery);
  const nameOf = (key: string) => {
    if (part === 'day') return dayText(key);
    if (part === 'model') return key;
    return agents?.data.find(({ id }) => id === key)?.name ?? m.reports_deleted_agent();
  };
  if (isShown && !error && !usage?.data.length) return null;
  const currency = usage?.currency ?? null;
  const columns: readonly Column<UsageRow>[] = [
    { key: 'key', label: partWords[part](), wide: true, cell: ({ key }) => <bdi>{nameOf(key)}</bdi> },
    { key: 'calls', label: m.reports_usage_calls(), numeric: true, cell: ({ calls }) => numberText(calls) },
    { key: 'failed', label: m.reports_usage_failed(), numeric: true, cell: (row) => numberText(row.failed_calls) },
    { key: 'input', label: m.reports_usage_input(), numeric: true, cell: (row) => numberText(row.input_tokens) },
    { key: 'output', label: m.reports_usage_output(), numeric: true, cell: (row) => numberText(row.output_tokens) },
    ...(currency === null
      ? []
      : [
          {
            key: 'cost',
            label: m.reports_usage_cost(),
            numeric: true,
            cell: (row: UsageRow) => money(row.cost, currency),
          },
        ]),
  ];
  return (
    <section className={styles.usage}>
      <h2 className={styles.heading}>{m.reports_usage()}</h2>
      <p className={styles.soft}>
        {!isShown
          ? m.reports_usage_too_long()
          : currency === null
            ? m.reports_usage_about()
            : m.reports_usage_about_cost()}
      </p>
      {error && <LoadFailed error={error} retry={refetch} />}
      {usage && (
        <>
          <Segmented
            label={m.reports_usage_divided()}
            value={part}
            choices={usageParts.map((one) => [one, partWords[one]()] as const)}
            onChoose={setPart}
          />
          <Table
            label={m.reports_usage()}
            columns={columns}
            rows={usageBy(part, usage.data)}
            keyOf={({ key }) => key}
          />
        </>
      )}
    </section>
  );
}
