import { randomUUID } from 'node:crypto';
import type { connectChannel as operation, RequestOf } from '@mostrador/contracts';
import type { Vault } from '@mostrador/kit/clients/secrets';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { releaseQueues } from '../delivery/delivery.repository.ts';
import { wakeDelivery } from '../delivery/wake-delivery.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ChannelRow, endLiveChannel, findSameChannel, saveChannel, seizeChannels } from './channel.repository.ts';
import { sandboxUrl, webhookUrl } from './channel-urls.ts';
import { type Credentials, openCredentials, replaceCredentials, sealCredentials } from './whatsapp/credentials.ts';
import { defaultApiUrl } from './whatsapp/adapter.ts';
import { hashSandboxToken, newSandboxToken } from './sandbox/token.ts';

type Body = RequestOf<typeof operation>['body'];

/** Stores the connection and wakes what waits for it. Calls nobody: the first message finds out whether it works. */
export const connectChannel =
  ({ database, relay, vault, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const wanted = channelOf(body);
    const token = wanted.provider === 'sandbox' ? newSandboxToken() : null;
    const channelId = await database.write(context, async (sql) => {
      await seizeChannels(sql, storeId);
      const same = await findSameChannel(sql, storeId, wanted);
      const id = same?.id ?? randomUUID();
      await endLiveChannel(sql, storeId, id);
      await saveChannel(sql, storeId, {
        ...wanted,
        id,
        sealed_credentials: sealed(vault, storeId, id, body.secrets, same),
        sandbox_token_hash: token === null ? null : hashSandboxToken(token),
      });
      const leads = await releaseQueues(sql, storeId);
      await appendOutbox(
        sql,
        storeId,
        leads.map((leadId) => wakeDelivery(leadId, 'channel_connected')),
      );
      return id;
    });
    relay.nudge();
    return {
      channel_id: channelId,
      provider: wanted.provider,
      webhook_url: webhookUrl(publicUrl, { id: channelId, provider: wanted.provider }),
      sandbox_url: token === null ? null : sandboxUrl(publicUrl, token),
    };
  };

/** What is asked for, or `validation_failed` with everything that does not fit its provider. */
export function channelOf(body: Body) {
  const { provider, phone, phone_number_id, api_url, secrets, ...limits } = body;
  const errors = provider === 'sandbox' ? misfitsOfSandbox(body) : misfitsOfWhatsapp(body);
  if (errors.length > 0) throw validationFailed(errors);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  return {
    provider,
    phone: phone ?? null,
    phone_number_id: phone_number_id ?? null,
    api_url: provider === 'sandbox' ? null : (api_url ?? defaultApiUrl).replace(/\/+$/, ''),
    ...given,
  };
}

const misfitsOfSandbox = ({ phone_number_id, api_url, secrets }: Body) =>
  Object.entries({ phone_number_id, api_url, secrets })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => ({ pointer: `#/${name}`, detail: 'is not used by the sandbox' }));

function misfitsOfWhatsapp({ phone_number_id, phone, api_url, secrets }: Body) {
  const { access_token, app_secret, verify_token } = secrets ?? {};
  const needed = {
    phone_number_id,
    phone,
    'secrets/access_token': access_token,
    'secrets/app_secret': app_secret,
    'secrets/verify_token': verify_token,
  };
  const missing = Object.entries(needed)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ pointer: `#/${name}`, detail: 'is required for whatsapp_cloud' }));
  const unsendable = access_token !== undefined && !/^[\x21-\x7e]+$/.test(access_token);
  return [
    ...missing,
    ...(unsendable ? [{ pointer: '#/secrets/access_token', detail: 'must be printable ASCII without spaces' }] : []),
    ...(api_url === undefined || isPlainHttp(api_url)
      ? []
      : [{ pointer: '#/api_url', detail: 'must be an http or https address without user, query or fragment' }]),
  ];
}

function isPlainHttp(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return isHttp && !url.username && !url.password && !url.search && !url.hash;
}

function sealed(
  vault: Vault,
  storeId: string,
  id: string,
  secrets: Body['secrets'],
  same: ChannelRow | undefined,
): string | null {
  if (!secrets) return null;
  return sealCredentials(
    vault,
    storeId,
    id,
    replaceCredentials(secrets as Credentials, same && readable(vault, storeId, same), Date.now()),
  );
}

/** What was connected before, unless it is gone or its key is: connecting anew is the way out of that. */
function readable(vault: Vault, storeId: string, channel: ChannelRow): Credentials | undefined {
  if (channel.sealed_credentials === null) return undefined;
  try {
    return openCredentials(vault, storeId, channel);
  } catch {
    return undefined;
  }
}
