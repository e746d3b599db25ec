import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A point that a connection has been stopped at. */
export type Hold = {
  /** Resolves when a connection has come to the point and stands. */
  readonly reached: Promise<void>;
  /** Lets it go on with everything that it was held with. One that has not come to the point yet will not be held. */
  release(): void;
  /** Breaks it, and what it was held with is never delivered: for a process that was killed at the point. */
  drop(): void;
};

/**
 * A way to a server at which a test can stop a connection at an exact point of a conversation. What is held when either
 * side goes away is never delivered.
 */
export type Gate = {
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly port: number;
  /**
   * Stops the first connection whose client sends this text: neither that nor anything later reaches the server. With
   * `after`, the first that has sent that other text before.
   */
  holdRequest(text: string, after?: string): Hold;
  /** Delivers what holds this text, and stops the connection at the server's next word: the effect is there, the answer is not. */
  holdAnswer(text: string, after?: string): Hold;
  /** Stops the first connection on which the server sends this text: neither that nor anything later reaches the client. */
  holdDelivery(text: string): Hold;
  /** Breaks every connection and takes no new one. */
  cut(): void;
  /** Connections stay open and take new ones, and nothing comes through. */
  freeze(): void;
  /** Ends `cut` and `freeze`; connections that were frozen break. */
  mend(): void;
  close(): Promise<void>;
};

type Kind = 'request' | 'answer' | 'delivery';
type Rule = Hold & {
  kind: Kind;
  text: string;
  after: string | undefined;
  taken: boolean;
  come(connection: Held): void;
};
type Held = { release(): void; drop(): void };

/** Opens a gate in front of the server at `host:port`. */
export async function openGate(target: string): Promise<Gate> {
  const [host = '127.0.0.1', targetPort] = target.split(':');
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const rules = new Set<Rule>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(targetPort), host, noDelay: true });
    let answerHeldBy: Rule | undefined;
    const up = pipeInto(upstream, rules, 'request', () => state === 'frozen', {
      passed: (isAt) => {
        for (const rule of rules) {
          if (rule.kind !== 'answer' || rule.taken || !isAt(rule)) continue;
          rule.taken = true;
          answerHeldBy = rule;
        }
      },
    });
    const down = pipeInto(client, rules, 'delivery', () => state === 'frozen', {
      holdBefore: () => {
        const rule = answerHeldBy;
        answerHeldBy = undefined;
        return rule;
      },
    });
    for (const [socket, other, take] of [
      [client, upstream, up],
      [upstream, client, down],
    ] as const) {
      sockets.add(socket);
      socket.on('data', take.chunk);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        take.end(() => other.destroy());
      });
    }
    if (state === 'cut') client.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const hold = (kind: Kind, text: string, after?: string): Hold => {
    const rule = createRule({ kind, text, after }, () => rules.delete(rule));
    rules.add(rule);
    return rule;
  };
  return {
    address: `127.0.0.1:${port}`,
    port,
    holdRequest: (text, after) => hold('request', text, after),
    holdAnswer: (text, after) => hold('answer', text, after),
    holdDelivery: (text) => hold('delivery', text),
    cut() {
      state = 'cut';
      breakAll();
    },
    freeze() {
      state = 'frozen';
    },
    mend() {
      if (state === 'frozen') breakAll();
      state = 'open';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function createRule(point: Pick<Rule, 'kind' | 'text' | 'after'>, onRelease: () => void): Rule {
  const reached = Promise.withResolvers<void>();
  let held: Held | undefined;
  return {
    ...point,
    taken: false,
    reached: reached.promise,
    come(connection) {
      this.taken = true;
      held = connection;
      reached.resolve();
    },
    release() {
      onRelease();
      held?.release();
    },
    drop() {
      onRelease();
      held?.drop();
    },
  };
}

/** Takes the chunks of one direction: passes them on, or keeps them from the point that a rule names. */
function pipeInto(
  to: Socket,
  rules: ReadonlySet<Rule>,
  kind: Kind,
  isFrozen: () => boolean,
  also: { passed?(isAt: (rule: Rule) => boolean): void; holdBefore?(): Rule | undefined },
): { chunk(chunk: Buffer): void; end(close: () => void): void } {
  let kept: Buffer[] | undefined;
  let atEnd: (() => void) | undefined;
  // A text may be cut in two on its way; the end of what came before is looked at again.
  let before = '';
  const onTheWay = new WeakSet<Rule>();
  const hold = (rule: Rule, chunk: Buffer) => {
    kept = [chunk];
    rule.come({
      release() {
        for (const piece of kept ?? []) to.write(piece);
        kept = undefined;
        atEnd?.();
      },
      drop() {
        kept = [];
        to.destroy();
      },
    });
  };
  const take = (chunk: Buffer) => {
    if (isFrozen()) return;
    if (kept) {
      kept.push(chunk);
      return;
    }
    const text = before + chunk.toString('latin1');
    before = text.slice(-longest(rules));
    const isAt = (rule: Rule) => text.includes(rule.text) && (rule.after === undefined || onTheWay.has(rule));
    for (const rule of rules) if (rule.after !== undefined && text.includes(rule.after)) onTheWay.add(rule);
    const rule =
      also.holdBefore?.() ??
      [...rules].find((candidate) => candidate.kind === kind && !candidate.taken && isAt(candidate));
    if (rule) {
      before = '';
      hold(rule, chunk);
      return;
    }
    to.write(chunk);
    also.passed?.(isAt);
  };
  return {
    chunk: take,
    // That the server has closed is its last word, and is held like the others. A client that is gone is gone.
    end: (close) => {
      if (kept && kind === 'delivery') atEnd = () => to.end();
      else close();
    },
  };
}

const longest = (rules: ReadonlySet<Rule>): number =>
  Math.max(1, ...[...rules].map(({ text, after = '' }) => Math.max(text.length, after.length) - 1));
