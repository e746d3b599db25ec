import { Type } from '@sinclair/typebox';

/** The id of an API key or a session: the part of its token that is not secret. */
export const TokenId = Type.String({ pattern: '^[A-Za-z0-9]{8,40}$' });
