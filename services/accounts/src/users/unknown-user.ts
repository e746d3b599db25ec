import { AppError } from '@mostrador/kit/rpc/errors';

/** No store has a person with this email address. */
export const unknownUser = (): AppError =>
  new AppError('user_not_found', { detail: 'No user has this email address. Check it.' });
