import { type Children, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { findToxiproxy } from '@mostrador/local-platform/servers/toxiproxy';

/** What can be wrong with a network link. */
export type Trouble = 'latency' | 'resets' | 'half-open connections' | 'silence';
export const troubles: readonly Trouble[] = ['latency', 'resets', 'half-open connections', 'silence'];

type Toxic = { type: string; stream: 'upstream' | 'downstream'; attributes: Record<string, number> };

const toxics: Readonly<Record<Trouble, readonly Toxic[]>> = {
  latency: [
    { type: 'latency', stream: 'upstream', attributes: { latency: 150, jitter: 100 } },
    { type: 'latency', stream: 'downstream', attributes: { latency: 150, jitter: 100 } },
  ],
  resets: [{ type: 'reset_peer', stream: 'downstream', attributes: { timeout: 100 } }],
  // Requests arrive and take effect, but no answer comes back.
  'half-open connections': [{ type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } }],
  silence: [
    { type: 'timeout', stream: 'upstream', attributes: { timeout: 0 } },
    { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } },
  ],
};

/** The network links of the platform. Each goes through its own proxies, which faults can disturb. */
export type Ways = {
  /**
   * Opens a link to `host:port`, or to several with commas between them, named `from → to`. Resolves with its proxies in
   * the same form, one for each target.
   */
  open(name: string, targets: string): Promise<string>;
  names(): readonly string[];
  trouble(name: string, trouble: Trouble): Promise<void>;
  /** Removes all trouble from the link. */
  mend(name: string): Promise<void>;
};

const readyWithinMs = 90_000;

/** Starts toxiproxy for this run alone. */
export async function startWays(children: Children): Promise<Ways> {
  const report = (text: string) => process.stderr.write(`${text}\n`);
  const [binary, port] = await Promise.all([findToxiproxy(process.env, report), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const spec: ProcessSpec = {
    name: 'toxiproxy',
    command: binary,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    env: { ...process.env, LOG_LEVEL: 'error' },
    stopSignal: 'SIGTERM',
    isReady: async () => {
      try {
        return (await fetch(`${url}/version`)).ok || 'it answers with an error';
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
  await untilReady(spec, children.start(spec), readyWithinMs);

  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await fetch(`${url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`toxiproxy answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
  };
  const ways = new Map<string, { ids: string[]; bad: string[] }>();
  const known = (name: string) => {
    const way = ways.get(name);
    if (!way) throw new Error(`there is no link with the name ${name}`);
    return way;
  };
  return {
    async open(name, targets) {
      const number = ways.size + 1;
      const proxies = targets.split(',').map((upstream, index) => ({ name: `way-${number}-${index + 1}`, upstream }));
      ways.set(name, { ids: proxies.map(({ name: id }) => id), bad: [] });
      const listens: string[] = [];
      for (const proxy of proxies) {
        const listen = `127.0.0.1:${await freePort()}`;
        await ask('POST', '/proxies', { ...proxy, listen, enabled: true });
        listens.push(listen);
      }
      return listens.join();
    },
    names: () => [...ways.keys()],
    async trouble(name, trouble) {
      const way = known(name);
      for (const toxic of toxics[trouble]) {
        const toxicName = `${toxic.type}-${toxic.stream}`;
        for (const id of way.ids) {
          await ask('POST', `/proxies/${id}/toxics`, { ...toxic, name: toxicName, toxicity: 1 });
        }
        way.bad.push(toxicName);
      }
    },
    async mend(name) {
      const way = known(name);
      for (const toxic of way.bad.splice(0)) {
        for (const id of way.ids) await ask('DELETE', `/proxies/${id}/toxics/${toxic}`);
      }
    },
  };
}
