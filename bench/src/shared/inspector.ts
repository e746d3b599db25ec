import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

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

/** A process whose inspector listens. */
export type Inspector = {
  /** Collects the garbage of the process and of its worker threads. */
  collectGarbage(): Promise<void>;
  startProfile(): Promise<void>;
  stopProfile(): Promise<Profile>;
  close(): void;
};

const sampleEveryUs = 250;
const collection = 'HeapProfiler.collectGarbage';

/**
 * Opens the inspector of a process that was started with `--inspect-port=0`, and connects to it. It writes to this log file.
 */
export async function wakeInspector(pid: number, logFile: string): Promise<Inspector> {
  process.kill(pid, 'SIGUSR1');
  const until = Date.now() + wakesWithinMs;
  while (!addressIn(logFile)) {
    if (Date.now() > until) throw new Error(`process ${pid} opened no inspector`);
    await pause(20);
  }
  return await openInspector(logFile);
}

const wakesWithinMs = 10_000;
const addressIn = (logFile: string): string | undefined =>
  /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1];

/** Connects to the inspector of a process. The process wrote its address to this log file. */
export async function openInspector(logFile: string): Promise<Inspector> {
  const address = addressIn(logFile);
  if (address === undefined) throw new Error(`${logFile} has no inspector address`);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector answers at ${address}`)));
  });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  /** The sessions of the worker threads, since `NodeWorker.enable`. */
  const threads: string[] = [];
  let nextId = 1;
  const receive = (text: string) => {
    const { id, result, error, method, params } = JSON.parse(text);
    if (method === 'NodeWorker.attachedToWorker') threads.push(params.sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker') receive(params.message);
    if (error) open.get(id)?.reject(new Error(error.message));
    else open.get(id)?.resolve(result);
    open.delete(id);
  };
  socket.addEventListener('message', ({ data }) => receive(String(data)));
  /** The answer to a request, which `write` sends as text. */
  const ask = (method: string, params: object, write: (text: string) => void): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    const id = nextId++;
    open.set(id, answer);
    write(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
  const send = (method: string, params: object = {}) => ask(method, params, (text) => socket.send(text));
  const sendTo = (sessionId: string, method: string) =>
    ask(method, {}, (message) => void send('NodeWorker.sendMessageToWorker', { sessionId, message }));
  return {
    async collectGarbage() {
      threads.length = 0;
      await send('NodeWorker.enable', { waitForDebuggerOnStart: false });
      for (const collect of [() => send(collection), ...threads.map((id) => () => sendTo(id, collection))])
        await collect();
      await send('NodeWorker.disable');
    },
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
