import { join } from 'node:path';
import { startPeer } from '@mostrador/local-platform/peer';
import { openInspector } from '../../shared/inspector.ts';
import type { LoadResult } from '../../shared/load/job.ts';
import { startPlatform } from '../../shared/platform.ts';
import type { Section } from '../../shared/report.ts';
import { table } from '../../shared/table.ts';
import { body, makeReadable, type Target } from '../stage.ts';
import { type Summary, summarize } from './summarize.ts';

export type ProfileOptions = {
  readonly root: string;
  readonly seconds: number;
  readonly concurrency: number;
  readonly say: (text: string) => void;
};

const profiled = ['gateway', 'scheduling'] as const;
const shownFunctions = 15;
const shownPackages = 14;

/** Profiles the gateway and scheduling, under reads and under creations. Returns a section for each. */
export async function profileAppointments({ root, seconds, concurrency, say }: ProfileOptions): Promise<Section[]> {
  say('Starting a platform with inspectors.');
  const platform = await startPlatform(root, { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  const load = await startPeer(join(import.meta.dirname, '../../shared/load/main.ts'));
  try {
    const inspectors = await Promise.all(
      profiled.map((name) => openInspector(join(platform.localDirectory, 'logs', `${name}.log`))),
    );
    const { key } = await platform.newStore({ calendar: true });
    const target: Target = {
      origin: platform.origin,
      path: '/integrations/v1/appointments',
      headers: { 'X-API-Key': key },
    };
    const readable = await makeReadable(target, 200);
    const run = (method: 'GET' | 'POST', durationMs: number) =>
      load.call<LoadResult>('run', {
        ...target,
        method,
        paths: method === 'GET' ? readable : [target.path],
        ...(method === 'POST' ? { body } : {}),
        expectedStatus: method === 'GET' ? 200 : 201,
        concurrency,
        warmUpMs: 0,
        durationMs,
      });

    const sections: Section[] = [];
    for (const method of ['GET', 'POST'] as const) {
      say(`Profiling ${method}.`);
      await run(method, 3000);
      for (const inspector of inspectors) await inspector.startProfile();
      const { sent } = await run(method, seconds * 1000);
      for (const [index, inspector] of inspectors.entries()) {
        const summary = summarize(await inspector.stopProfile(), root);
        sections.push(describe(`${method}: ${profiled[index]}`, summary, sent));
      }
    }
    for (const inspector of inspectors) inspector.close();
    return sections;
  } finally {
    await load.stop();
    await platform.stop();
  }
}

function describe(title: string, summary: Summary, requests: number): Section {
  const { busyMs, idleMs, packages, own, ours } = summary;
  const us = (ms: number) => ((ms * 1000) / requests).toFixed(1);
  const share = (ms: number) => `${((100 * ms) / busyMs).toFixed(1)} %`;
  const rows = (functions: Summary['own']) =>
    functions.slice(0, shownFunctions).map(({ name, place, ms }) => [name, place, us(ms), share(ms)]);
  return [
    title,
    `${us(busyMs)} µs per request (${requests.toLocaleString('en')} requests; busy ${((100 * busyMs) / (busyMs + idleMs)).toFixed(0)} % of the time).`,
    table(
      ['package', 'µs', 'share'],
      packages.slice(0, shownPackages).map(({ name, ms }) => [name, us(ms), share(ms)]),
    ),
    table(['function, its own time', 'where', 'µs', 'share'], rows(own)),
    table(['our function, with what it calls', 'where', 'µs', 'share'], rows(ours)),
  ];
}
