import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import type { AlertLike } from './cause.ts';
import type { Firing, Prometheus } from './prometheus.ts';

/** A time without a break in which an alert fired, in milliseconds of `performance.now()`. */
type Fired = { readonly firing: Firing; readonly firstMs: number; lastMs: number };

export type Watch = {
  now(): readonly Firing[];
  /** What fired since the beginning, in order. */
  seen(): readonly Fired[];
  /** Resolves with true when the condition holds, and with false after the limit. The condition is asked at each look. */
  until(condition: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

const lookEveryMs = 1_000;

/** Looks every second which alerts fire. */
export function watchAlerts({ firing }: Pick<Prometheus, 'firing'>): Watch {
  let on = true;
  let now: readonly Firing[] = [];
  const seen: Fired[] = [];
  let open = new Map<string, Fired>();
  const look = async () => {
    now = await firing();
    const atMs = performance.now();
    const before = open;
    open = new Map();
    for (const each of now) {
      const key = JSON.stringify(each.labels);
      const fired = before.get(key) ?? { firing: each, firstMs: atMs, lastMs: atMs };
      fired.lastMs = atMs;
      open.set(key, fired);
      if (!before.has(key)) seen.push(fired);
    }
  };
  const looking = (async () => {
    for (; on; await pause(lookEveryMs)) await look();
  })();
  // An error ends the looks. It is thrown by who waits next, or by `stop`.
  looking.catch(() => {
    on = false;
  });
  return {
    now: () => now,
    seen: () => seen,
    async until(condition, limitMs) {
      const untilMs = performance.now() + limitMs;
      for (;;) {
        await pause(lookEveryMs);
        if (!on) await looking;
        if (await condition()) return true;
        if (performance.now() > untilMs) return false;
      }
    },
    async stop() {
      on = false;
      await looking;
    },
  };
}

export const isLike = ({ labels }: Firing, { alert, labels: wanted = {} }: AlertLike): boolean =>
  labels.alertname === alert && Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** The alert with the labels that tell it from others of its name. */
export function nameOf({ alert, labels = {} }: AlertLike): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return texts.length === 0 ? alert : `${alert}{${texts.join(', ')}}`;
}

export const likeOf = ({ labels: { alertname, severity, ...labels } }: Firing): AlertLike => ({
  alert: alertname,
  labels,
});

/** What is wrong with the texts of an alert: its runbook must exist, and its summary must be complete. */
export function textFaults({ labels, annotations: { runbook = '', summary = '' } }: Firing): string[] {
  const [page = '', anchor] = runbook.split('#');
  const file = join(root, page);
  const headings = existsSync(file) ? [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)] : [];
  const isThere = headings.some(([, heading = '']) => heading.toLowerCase() === anchor);
  return [
    ...(isThere ? [] : [`${labels.alertname}: its runbook ${runbook} does not exist`]),
    ...(/^$|<error|<no value>|\{\{/.test(summary) ? [`${labels.alertname}: its summary is "${summary}"`] : []),
  ];
}
