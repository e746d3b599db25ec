import { readFileSync } from 'node:fs';

/** A processor profile of V8 (`Profiler.Profile` in the inspector protocol). */
export type Profile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
};
export type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
};

/** A process that was started with `--inspect`. */
export type Inspector = {
  startProfile(): Promise<void>;
  stopProfile(): Promise<Profile>;
  close(): void;
};

const sampleEveryUs = 250;

/** Connects to the inspector of a process. The process wrote its address to this log file. */
export async function openInspector(logFile: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1];
  if (address === undefined) throw new Error(`${logFile} has no inspector address`);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector answers at ${address}`)));
  });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let nextId = 1;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error) open.get(id)?.reject(new Error(error.message));
    else open.get(id)?.resolve(result);
    open.delete(id);
  });
  const send = (method: string, params: object = {}): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    const id = nextId++;
    open.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
  return {
    async startProfile() {
      await send('Profiler.enable');
      await send('Profiler.setSamplingInterval', { interval: sampleEveryUs });
      await send('Profiler.start');
    },
    async stopProfile() {
      const { profile } = (await send('Profiler.stop')) as { profile: Profile };
      await send('Profiler.disable');
      return profile;
    },
    close: () => socket.close(),
  };
}
