import type { components } from '../generated/platform.ts';

export type ModelUsage = components['schemas']['ModelUsage'];

/** By what the use of models can be divided. */
export const usageParts = ['day', 'agent_id', 'model'] as const;
export type UsagePart = (typeof usageParts)[number];

const counts = ['calls', 'failed_calls', 'input_tokens', 'output_tokens'] as const;
export type UsageRow = { readonly key: string } & { readonly [C in (typeof counts)[number]]: number } & {
  /** Null: no price is known. */
  readonly cost: number | null;
};

/** The use of models, one row a day, an agent or a model: the newest day first, else the most calls. Pure. */
export function usageBy(part: UsagePart, usage: readonly ModelUsage[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const one of usage) {
    const key = one[part];
    const row = rows.get(key) ?? { key, calls: 0, failed_calls: 0, input_tokens: 0, output_tokens: 0, cost: null };
    rows.set(key, {
      key,
      calls: row.calls + one.calls,
      failed_calls: row.failed_calls + one.failed_calls,
      input_tokens: row.input_tokens + one.input_tokens,
      output_tokens: row.output_tokens + one.output_tokens,
      cost: one.cost === null ? row.cost : (row.cost ?? 0) + one.cost,
    });
  }
  return [...rows.values()].sort((a, b) => (part === 'day' ? (a.key < b.key ? 1 : -1) : b.calls - a.calls));
}

/** The most days that one answer shows. */
const mostDays = 92;
const dayMs = 86_400_000;

export const isUsageShown = ({ from, to }: { readonly from: string; readonly to: string }): boolean =>
  (Date.parse(to) - Date.parse(from)) / dayMs < mostDays;
