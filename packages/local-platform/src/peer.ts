import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Another process that does a part of a program's work: what it loads is not in the program's memory, and what it computes
 * does not delay the program's event loop.
 */
export type Peer = {
  readonly pid: number;
  /** Calls one of the functions that the process serves. */
  call<Answer>(name: string, argument?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

type Request = { readonly id: number; readonly name: string; readonly argument: unknown };
type Failure = { readonly message: string; readonly stack: string };
type Response = { readonly id: number; readonly answer?: unknown; readonly failure?: Failure };

/** Starts a program and waits until it serves calls. */
export async function startPeer(program: string, environment: Record<string, string> = {}): Promise<Peer> {
  const child = fork(program, { env: { ...process.env, ...environment }, execArgv: [] });
  const open = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let nextId = 1;
  const ended = once(child, 'exit').then(([code, signal]) => {
    for (const { reject } of open.values()) reject(new Error(`${program} ended (${signal ?? `exit code ${code}`})`));
    open.clear();
  });
  child.on('message', ({ id, answer, failure }: Response) => {
    const call = open.get(id);
    open.delete(id);
    if (failure === undefined) call?.resolve(answer);
    else call?.reject(Object.assign(new Error(failure.message), { stack: failure.stack }));
  });

  const call = <Answer>(name: string, argument?: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const id = nextId++;
      open.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      child.send({ id, name, argument } satisfies Request, (error) => {
        if (error) reject(error);
      });
    });

  await call('ready');
  return {
    pid: child.pid ?? -1,
    call,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Serves functions to the process that started this one, and ends with it. */
// biome-ignore lint/suspicious/noExplicitAny: each function declares its own argument
export function servePeer(functions: Record<string, (argument: any) => unknown>): void {
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group. The parent process stops this one.
  process.on('SIGINT', () => {});
  process.on('message', async ({ id, name, argument }: Request) => {
    const answer = (response: Response) => {
      if (process.connected) process.send?.(response);
    };
    try {
      answer({ id, answer: name === 'ready' ? null : await functions[name]?.(argument) });
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      answer({ id, failure: { message, stack: stack ?? message } });
    }
  });
}

/** Opens a port of this machine for a server of a peer. Returns its origin. */
export async function listenHere(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
