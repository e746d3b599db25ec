import { AppError } from '@mostrador/kit/rpc/errors';

/** A person of another store is not found, as one who does not exist. */
export const unknownPerson = (): AppError =>
  new AppError('user_not_found', { detail: 'The store has no person with this id. Check the id.' });

/** No store has a person with this email address. */
export const unknownUser = (): AppError =>
  new AppError('user_not_found', { detail: 'No user has this email address. Check it.' });
