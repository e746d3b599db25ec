import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Children, httpAnswers, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { prometheusFiles } from './quicker.ts';

/** An alert that fires, as Prometheus tells it. */
export type Firing = {
  readonly labels: Readonly<Record<string, string>> & { readonly alertname: string };
  readonly annotations: Readonly<Record<string, string>>;
};

export type Prometheus = {
  /** Scrapes exactly these from now on: `127.0.0.1:9101`. */
  watch(targets: readonly string[]): void;
  /** The alerts that fire now. */
  firing(): Promise<Firing[]>;
  /** The values of a query now, one for each series. */
  ask(query: string): Promise<number[]>;
  stop(): Promise<void>;
};

export const hasPrometheus = (): boolean => spawnSync('prometheus', ['--version']).status === 0;

const readyWithinMs = 60_000;

/** Starts Prometheus with the project's rules and configuration, with shorter durations. */
export async function startPrometheus(children: Children, folder: string): Promise<Prometheus> {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(prometheusFiles())) write(name, text);
  const watch = (targets: readonly string[]) => write('targets.json', JSON.stringify([{ targets }]));
  watch([]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const spec: ProcessSpec = {
    name: 'prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    stopSignal: 'SIGTERM',
    isReady: () => httpAnswers(`${url}/-/ready`),
  };
  const child = children.start(spec);
  await untilReady(spec, child, readyWithinMs);
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/${path}`);
    if (!answer.ok) throw new Error(`Prometheus answered ${answer.status} to ${path}: ${await answer.text()}`);
    return ((await answer.json()) as { data: T }).data;
  };
  return {
    watch,
    async firing() {
      const { alerts } = await get<{ alerts: (Firing & { state: string })[] }>('alerts');
      return alerts.filter(({ state }) => state === 'firing');
    },
    async ask(query) {
      const { result } = await get<{ result: { value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(query)}`,
      );
      return result.map(({ value: [, value] }) => Number(value));
    },
    stop: () => child.stop(5_000),
  };
}
