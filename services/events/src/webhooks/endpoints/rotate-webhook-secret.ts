import { defaultOverlapHours, rotateWebhookSecret as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../../dependencies.ts';
import { lockEndpoint, saveSecrets } from './endpoint.repository.ts';
import { makeKeys, openSecrets, rotateKeys, sealSecrets } from './secrets.ts';

const hourMs = 3_600_000;

export const rotateWebhookSecret =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params, body }) => {
    const { vault } = dependencies;
    return writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEndpoint(sql, context.storeId, params.endpointId);
        if (!endpoint) throw new AppError('webhook_endpoint_not_found');
        const { id, public_key, sealed_secrets } = endpoint;
        const now = new Date();
        const until = new Date(now.getTime() + (body.overlap_hours ?? defaultOverlapHours) * hourMs);
        const { keys, publicKey } = makeKeys(public_key !== null);
        const secrets = rotateKeys(openSecrets(vault, id, sealed_secrets), keys, until, now);
        await saveSecrets(sql, endpoint, { sealed: sealSecrets(vault, id, secrets), publicKey });
        return { id, secret: keys.secret, public_key: publicKey, previous_valid_until: toTimestamp(until) };
      },
      toReply: (rotated) => rotated,
      vault,
    });
  };
