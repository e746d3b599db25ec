import { randomUUID } from 'node:crypto';
import type { connectChannel as operation, ReplyOf, ValidationFault } from '@mostrador/contracts';
import type { Egress } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import {
  type ChannelRow,
  endLiveChannel,
  findSameChannel,
  lockChannelsForUpdate,
  saveChannel,
} from '../channels/channel.repository.ts';
import type { ChannelProvider, ConnectChannelBody } from '../channels/channel-provider.ts';
import { openCredentials, openPageToken, sealCredentials, sealPageToken } from '../channels/credentials.ts';
import { providerOf } from '../channels/providers.ts';
import { wakeQueues } from '../delivery/wake-queues.ts';
import type { Dependencies } from '../dependencies.ts';
import { markSynced } from '../templates/sync.repository.ts';
import { syncEveryMs } from '../templates/sync-account.ts';
import { forgetTemplates, replaceTemplates } from '../templates/template.repository.ts';

export const connectChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { body }) =>
    connect(dependencies, context, body);

/**
 * Stores the connection and wakes every waiting queue. It does not call the provider: the first message tests it.
 *
 * @param keepsRates the rates of the number that the body leaves out stay as an operator has set them
 */
export async function connect(
  { database, relay, notices, vault, egress, publicUrl, telephone }: Dependencies,
  context: StoreContext,
  body: ConnectChannelBody,
  { keepsRates = false }: { keepsRates?: boolean } = {},
): Promise<ReplyOf<typeof operation>> {
  const { storeId } = context;
  const provider = providerOf(body);
  const wanted = toConnection(provider, body, egress);
  const { page } = provider;
  const { id: channelId, token } = await database.write(context, async (sql) => {
    await lockChannelsForUpdate(sql, storeId);
    const same = await findSameChannel(sql, storeId, wanted);
    const id = same?.id ?? randomUUID();
    const before = same && readable(vault, storeId, same);
    const kept = same && !body.rotate ? openPageToken(vault, storeId, same) : undefined;
    const token = page && (kept ?? page.newToken());
    const credentials = provider.toCredentials(body.secrets, before, Date.now());
    await endLiveChannel(sql, storeId, id);
    await saveChannel(sql, storeId, {
      ...(keepsRates && same && ratesOf(same)),
      ...wanted,
      id,
      sealed_credentials: credentials && sealCredentials(vault, storeId, id, credentials),
      sandbox_token_hash: page && token !== null ? page.hashOf(token) : null,
      sealed_page_token: token === null ? null : sealPageToken(vault, storeId, id, token),
    });
    await forgetTemplates(sql, storeId);
    if (provider.ownTemplates) {
      await replaceTemplates(sql, storeId, id, provider.ownTemplates);
      await markSynced(sql, storeId, id, syncEveryMs());
    }
    await wakeQueues(sql, storeId);
    return { id, token };
  });
  relay.nudge();
  notices.publish(storeId);
  return {
    channel_id: channelId,
    provider: wanted.provider,
    webhook_url: provider.webhook?.urlOf(publicUrl, channelId) ?? null,
    sandbox_url: page && token !== null && telephone.writesAs !== 'off' ? page.urlOf(publicUrl, token) : null,
  };
}

const ratesOf = ({ number_rate, pair_interval_seconds, pair_burst }: ChannelRow) => ({
  number_rate,
  pair_interval_seconds,
  pair_burst,
});

/** The connection that the body asks for. Throws `validation_failed` with every fault that the provider finds. */
export function toConnection(provider: ChannelProvider, body: ConnectChannelBody, egress: Pick<Egress, 'isPrivate'>) {
  const { phone, phone_number_id, business_account_id, api_url, secrets, rotate, ...limits } = body;
  const errors = [
    ...provider.checkConnection(body),
    ...plaintextAddress(api_url, egress),
    ...onlyForPages(provider, { rotate, reply_window_minutes: limits.reply_window_minutes }),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  return {
    ...given,
    provider: body.provider,
    phone: phone ?? null,
    phone_number_id: phone_number_id ?? null,
    business_account_id: business_account_id ?? null,
    api_url: (api_url ?? provider.defaultApiUrl)?.replace(/\/+$/, '') ?? null,
  };
}

const onlyForPages = (provider: ChannelProvider, members: Record<string, unknown>): ValidationFault[] =>
  provider.page !== null
    ? []
    : Object.entries(members)
        .filter(([, value]) => value !== undefined)
        .map(([name]) => ({ pointer: `#/${name}`, detail: 'is only for the sandbox' }));

/** Providers check the rest of the address. */
function plaintextAddress(address: string | undefined, egress: Pick<Egress, 'isPrivate'>): ValidationFault[] {
  const url = URL.parse(address ?? '');
  if (url?.protocol !== 'http:' || egress.isPrivate(url)) return [];
  return [{ pointer: '#/api_url', detail: 'would send the access token without TLS. Use an https address.' }];
}

/** The stored credentials; undefined when they cannot be decrypted, because a new connection replaces them. */
function readable(vault: Vault, storeId: string, channel: ChannelRow): unknown {
  if (channel.sealed_credentials === null) return undefined;
  try {
    return openCredentials(vault, storeId, channel);
  } catch {
    return undefined;
  }
}
