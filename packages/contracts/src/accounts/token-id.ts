import { Matching } from '../core/common.ts';

/** The id of an API key or a session: the part of its token that is not secret. */
export const TokenId = Matching('^[A-Za-z0-9]{8,40}$', 'must be 8 to 40 letters and digits');
