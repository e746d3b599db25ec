import { leadStatuses } from '@mostrador/contracts';
import type { Measurement } from '../appointments/measure.ts';
import type { Target } from '../appointments/stage.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { rotated } from '../shared/statistics.ts';
import { listsOf, pageAfter } from './lists.ts';
import type { CrmStage, Sized } from './stage.ts';

export type CrmPlan = {
  readonly sizes: { readonly small: number; readonly large: number };
  readonly rounds: number;
  /** The duration of each measurement; a list takes half of it. */
  readonly seconds: number;
  /** The number of pages before the deep page. */
  readonly deepPages: number;
  readonly importedRows: number;
  readonly imports: number;
};

export const readNames = {
  platform: 'platform',
  hop: 'bare Fastify → NATS → postgres.js',
  bare: 'bare Fastify + postgres.js',
} as const;
export const changeNames = { platform: 'platform', bare: 'bare Fastify + postgres.js, one UPDATE' } as const;
export const readConcurrencies = [1, 32];
export const changeConcurrencies = [1, 8, 32];
/** A page by cursor: after `deepPages` pages at the large size, and after one page at the small size. */
export const deepPage = 'deep page';
export const pageNames = { platform: 'platform', hop: 'bare Fastify → NATS → postgres.js' } as const;
export const pageConcurrencies = [32];

/** The bodies of changes. They take turns, so that every request changes something. */
export const statusChanges = leadStatuses.map((status) => JSON.stringify({ status }));

/** One server and operation, measured at one size. */
type Variant = {
  readonly key: string;
  readonly size: Sized;
  readonly target: Target;
  readonly paths: readonly string[];
  readonly concurrency: number;
  readonly changes: boolean;
  readonly seconds: number;
};

export type SizeName = 'small' | 'large';
export const readKey = (size: SizeName, name: string, concurrency: number) => `GET ${size} ${concurrency} ${name}`;
export const changeKey = (size: SizeName, name: string, concurrency: number) => `PATCH ${size} ${concurrency} ${name}`;
export const pageKey = (size: SizeName, name: string, concurrency: number) => `page ${size} ${concurrency} ${name}`;
export const listKey = (size: SizeName, page: 'first' | 'next', name: string) => `list ${size} ${page} ${name}`;

/** Groups of variants. The variants of a group are compared, so they take turns. */
export async function variantsOf(stage: CrmStage, plan: CrmPlan): Promise<Variant[][]> {
  const both = [
    { size: 'small', ...stage.small, sized: stage.small },
    { size: 'large', ...stage.large, sized: stage.large },
  ] as const;
  const reads = readConcurrencies.map((concurrency) =>
    both.flatMap(({ size, sized, target, hop, bare }) =>
      Object.entries({ platform: target, hop, bare }).map(([name, of]) => ({
        key: readKey(size, readNames[name as keyof typeof readNames], concurrency),
        size: sized,
        target: of,
        paths: sized.filled.leadIds.map((id) => `${of.path}/${id}`),
        concurrency,
        changes: false,
        seconds: plan.seconds,
      })),
    ),
  );
  const changes = changeConcurrencies.map((concurrency) =>
    both.flatMap(({ size, sized, target, bare }) =>
      Object.entries({ platform: target, bare }).map(([name, of]) => ({
        key: changeKey(size, changeNames[name as keyof typeof changeNames], concurrency),
        size: sized,
        target: of,
        paths: sized.filled.leadIds.map((id) => `${of.path}/${id}`),
        concurrency,
        changes: true,
        seconds: plan.seconds,
      })),
    ),
  );
  return [...reads, ...(await pageVariants(both, plan)), ...(await listVariants(both, plan)), ...changes];
}

/** The second page of all leads, from the platform and from the hop. */
async function pageVariants(
  both: readonly ({ size: SizeName; sized: Sized } & Pick<Sized, 'target' | 'hop'>)[],
  plan: CrmPlan,
): Promise<Variant[][]> {
  const ofSizes = await Promise.all(
    both.map(async ({ size, sized, target, hop }) => {
      const { page, last } = await pageAfter(target, 1);
      const after = new URLSearchParams({ after: `${last.created_at} ${last.id}` });
      const paths = { platform: page, hop: `${hop.path}?${after}` };
      return Object.entries({ platform: target, hop }).map(([name, of]) => ({
        key: (concurrency: number) => pageKey(size, pageNames[name as keyof typeof pageNames], concurrency),
        size: sized,
        target: of,
        paths: [paths[name as keyof typeof paths]],
        changes: false,
        seconds: plan.seconds,
      }));
    }),
  );
  return pageConcurrencies.map((concurrency) =>
    ofSizes.flat().map(({ key, ...variant }) => ({ ...variant, key: key(concurrency), concurrency })),
  );
}

async function listVariants(
  both: readonly { size: SizeName; sized: Sized; target: Target }[],
  plan: CrmPlan,
): Promise<Variant[][]> {
  const groups = new Map<string, Variant[]>();
  const add = (group: string, key: string, sized: Sized, path: string) => {
    const variant = { key, size: sized, target: sized.target, paths: [path], concurrency: 1, changes: false };
    groups.set(group, [...(groups.get(group) ?? []), { ...variant, seconds: plan.seconds / 2 }]);
  };
  for (const { size, sized, target } of both) {
    for (const { name, first, next } of await listsOf(target, sized.filled)) {
      add(name, listKey(size, 'first', name), sized, first);
      if (next !== undefined) add(name, listKey(size, 'next', name), sized, next);
    }
    add(
      deepPage,
      listKey(size, 'next', deepPage),
      sized,
      (await pageAfter(target, size === 'large' ? plan.deepPages : 1)).page,
    );
  }
  return [...groups.values()];
}

export type CrmMeasurements = Map<string, Measurement[]>;

export async function measureRound(
  stage: CrmStage,
  groups: readonly (readonly Variant[])[],
  round: number,
  into: CrmMeasurements,
  say: (text: string) => void,
): Promise<void> {
  for (const group of groups) {
    for (const variant of rotated(group, round)) {
      const measured = await measure(stage, variant);
      into.set(variant.key, [...(into.get(variant.key) ?? []), measured]);
      say(`${variant.key}: ${Math.round(measured.perSecond)}/s, p50 ${measured.p50Ms.toFixed(2)} ms`);
    }
  }
}

/** Runs every variant without recording, so that code is compiled, connections are open and plans are cached. */
export async function warmUp(stage: CrmStage, groups: readonly (readonly Variant[])[]): Promise<void> {
  for (const variant of groups.flat()) await measure(stage, { ...variant, seconds: 0.5 });
}

async function measure(stage: CrmStage, variant: Variant): Promise<Measurement> {
  const { size, target, paths, concurrency, changes, seconds } = variant;
  const before = cpuOfAll(size.processes);
  const result = await stage.load({
    origin: target.origin,
    method: changes ? 'PATCH' : 'GET',
    paths,
    headers: target.headers,
    ...(changes ? { bodies: statusChanges } : {}),
    expectedStatus: 200,
    concurrency,
    warmUpMs: 200,
    durationMs: seconds * 1000,
  });
  return { ...result, cpuMs: cpuMsEach(before, size.processes, result.sent) };
}
