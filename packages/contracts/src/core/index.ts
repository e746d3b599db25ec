export * from './access.ts';
export * from './common.ts';
export * from './errors.ts';
export type { ListTotalOperations } from './list-totals.ts';
export * from './operation.ts';
export type { Columns } from './reports.ts';
export type { RollupOperations } from './rollups.ts';
export * from './waiting.ts';
