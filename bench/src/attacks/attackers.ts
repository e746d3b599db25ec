import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { deleteWebhookEndpoint } from '@mostrador/contracts';
import { sessionForm } from '@mostrador/kit/tokens/token';
import { startPeer } from '@mostrador/local-platform/peer';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import { createEndpoints } from '../events/endpoints.ts';
import type { MixedKind, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import type { Store } from '../shared/platform.ts';
import { pin } from '../shared/processes.ts';
import type { AttackName, Noticed } from './plan.ts';
import { type AttacksStage, generatorCore, hangingName } from './stage.ts';

/** Runs `measure` beside an attack. */
type Attack = <T>(stage: AttacksStage, seconds: number, measure: () => Promise<T>) => Promise<Beside<T>>;
type Beside<T> = { readonly measured: T; readonly sent: Noticed['sent'] };

const floodPerSecond = 60;
const falseCookiesPerSecond = 100;
/** As many as a store may have. */
const endpointsEach = 10;
/**
 * Changes of each attacking store, a second. Each is a webhook to each of its endpoints. Few, because what is measured is
 * the harm of an endpoint that hangs, and not the work that any store may ask for.
 */
const changesPerSecond = 1;

export const attacks: Readonly<Record<AttackName, Attack>> = {
  none: async (_stage, _seconds, measure) => ({ measured: await measure(), sent: null }),
  'names that hang': (stage, seconds, measure) => besideEndpoints(stage, seconds, hangingName, measure),
  'receivers that hang': (stage, seconds, measure) =>
    besideEndpoints(stage, seconds, (n) => `${stage.receiverUrl}/hang?n=${n}`, measure),
  'sign-ins of many networks': (stage, seconds, measure) =>
    besideFlood(stage, seconds, floodPerSecond, wrongPasswords(floodPerSecond * seconds), measure),
  'false cookies of one network': (stage, seconds, measure) =>
    besideFlood(stage, seconds, falseCookiesPerSecond, falseCookies(), measure),
  'callbacks of one network': (stage, seconds, measure) =>
    besideFlood(stage, seconds, floodPerSecond, callbacks, measure),
};

/** Beside endpoints that never answer, of stores that change something all the time. */
async function besideEndpoints<T>(
  stage: AttacksStage,
  seconds: number,
  urlOf: (index: number) => string,
  measure: () => Promise<T>,
): Promise<Beside<T>> {
  const { platform, attackers } = stage;
  const owners = attackers.flatMap((store) => Array.from({ length: endpointsEach }, () => store));
  const made = await createEndpoints(platform, owners, urlOf);
  const changes: MixedKind = {
    ...{ name: 'change', share: 1, method: 'POST', path: '/integrations/v1/sellers' },
    bodies: Array.from({ length: 1000 }, (_, n) =>
      JSON.stringify({ name: `Bia ${n}`, whatsapp_id: `55117${10_000_000 + n}` }),
    ),
  };
  try {
    return await beside(
      stage,
      { kinds: [changes], callers: attackers, perSecond: changesPerSecond * attackers.length, seconds },
      measure,
    );
  } finally {
    await withInsideClient(platform.natsUrl('gateway'), async (call) => {
      for (const [index, { id }] of made.entries()) {
        await call(deleteWebhookEndpoint, { params: { endpointId: id } }, owners[index]?.id);
      }
    });
  }
}

const besideFlood = <T>(
  stage: AttacksStage,
  seconds: number,
  perSecond: number,
  kind: MixedKind,
  measure: () => Promise<T>,
): Promise<Beside<T>> => beside(stage, { kinds: [kind], callers: stage.attackers, perSecond, seconds }, measure);

type Flood = Pick<OpenLoadJob, 'kinds' | 'perSecond'> & { callers: readonly Store[]; seconds: number };

async function beside<T>(
  { platform }: AttacksStage,
  { kinds, callers, perSecond, seconds }: Flood,
  measure: () => Promise<T>,
): Promise<Beside<T>> {
  const peer = await startPeer(join(import.meta.dirname, '../shared/load/main.ts'));
  pin(peer.pid, generatorCore);
  const sending = peer.call<OpenLoadResult>('runOpen', {
    ...{ origin: platform.origin, kinds, perSecond, connections: 100, warmUpMs: 0, seed: 1 },
    callers: callers.map(({ key }) => ({ key, leads: [''] })),
    // It begins before the measurement and ends after it.
    durationMs: (seconds + 2) * 1000,
  } satisfies OpenLoadJob);
  sending.catch(() => {});
  try {
    const measured = await measure();
    const { sent, refused } = await sending;
    return { measured, sent: { sent, refused } };
  } finally {
    await peer.stop();
  }
}

/** Sign-ins with a wrong password, each from a /48 of its own, as a trusted proxy names it. */
const wrongPasswords = (count: number): MixedKind => ({
  ...{ name: 'sign in', share: 1, method: 'POST', path: '/platform/v1/session' },
  headers: Array.from({ length: count }, () => `${samePage}\r\nX-Forwarded-For: ${newNetwork()}`),
  bodies: Array.from({ length: count }, () =>
    JSON.stringify({
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password: randomBytes(9).toString('hex'),
    }),
  ),
});

/** Well-formed cookies of sessions that do not exist, from the network of the other people. */
const falseCookies = (): MixedKind => ({
  ...{ name: 'false cookie', share: 1, method: 'GET', path: '/platform/v1/session' },
  headers: Array.from({ length: 1000 }, () => `${samePage}\r\nCookie: __Host-mostrador=${sessionForm.make().token}`),
});

/** The provider's callback as a picture on the page of another site. */
const callbacks: MixedKind = {
  ...{ name: 'callback', share: 1, method: 'GET', path: '/platform/v1/session/oidc/callback?code=1&state=2' },
  headers: ['Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image'],
};

const samePage = 'Sec-Fetch-Site: same-origin';
const hexGroup = () => randomInt(0x10000).toString(16);
const newNetwork = () => `2a${randomInt(16).toString(16)}1:${hexGroup()}:${hexGroup()}::1`;
