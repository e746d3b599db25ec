import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

// The only place where the drill's Prometheus differs from the one that an operator runs.

/** The durations of the rules are divided by this: each `for`, each range such as `[5m]`, and each `offset`. */
export const quicker = 20;
/** Not a twentieth of 5 s: the leader of a service reads its gauges at most every 4 s. */
const scrapeInterval = '2s';
const evaluationInterval = '1s';

const folder = join(root, 'infra/observability');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const duration = /(\bfor: |\[|\boffset )(\d+)([smhd])\b/g;

/** The rules with shorter durations. Thresholds, such as `> 60`, stay: what waits must wait for as long. Pure. */
export const quickerRules = (rules: string): string =>
  rules.replace(duration, (_, before: string, count: string, unit: keyof typeof seconds) => {
    return `${before}${Math.ceil((Number(count) * seconds[unit]) / quicker)}s`;
  });

/** The configuration with shorter intervals. Pure. */
export const quickerConfiguration = (configuration: string): string =>
  configuration
    .replace(/^( *scrape_interval: ).*$/m, `$1${scrapeInterval}`)
    .replace(/^( *evaluation_interval: ).*$/m, `$1${evaluationInterval}`);

/** The files of `infra/observability` that Prometheus reads, by their path below its folder, as the drill runs them. */
export const prometheusFiles = (): Readonly<Record<string, string>> => ({
  'prometheus.yaml': quickerConfiguration(read('prometheus.yaml')),
  'rules/alerts.yaml': quickerRules(read('rules/alerts.yaml')),
});

/** The names of the alerts, in the order of the rules. */
export const alertNames = (): string[] =>
  [...read('rules/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
