import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepareCaldav } from './environment.ts';
import type { CaldavServer } from './servers.ts';

/** An event as `read_events.py` prints it. */
export type SeenEvent = {
  uid: string;
  start: string;
  duration_minutes: number;
  title: string;
  notes: string | null;
  sequence: number;
};

type Place = Pick<CaldavServer, 'collectionUrl' | 'username' | 'password'>;

let reader: Promise<(place: Place) => Promise<SeenEvent[]>> | undefined;

/** The events of a calendar as Python's `caldav` client reads them, ordered by start. */
export async function readEvents(place: Place): Promise<SeenEvent[]> {
  // One program reads for the whole process, because Python takes half a second to load the client.
  reader ??= prepareCaldav().then(startReader);
  return (await reader)(place);
}

function startReader(python: string) {
  const child = spawn(python, ['-B', join(import.meta.dirname, 'read_events.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // The program ends when its standard input closes, which happens when this process ends.
  for (const handle of [child, child.stdin as Socket, child.stdout as Socket]) handle.unref();
  const waiting: { resolve(events: SeenEvent[]): void; reject(error: Error): void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { events, error } = JSON.parse(line);
    if (error) waiting.shift()?.reject(new Error(`the calendar cannot be read: ${error}`));
    else waiting.shift()?.resolve(events);
  });
  child.once('exit', (code) => {
    reader = undefined;
    for (const { reject } of waiting) reject(new Error(`read_events.py exited with ${code}; its message is above`));
  });
  return ({ collectionUrl: url, username, password }: Place) =>
    new Promise<SeenEvent[]>((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.stdin.write(`${JSON.stringify({ url, username, password })}\n`);
    });
}
