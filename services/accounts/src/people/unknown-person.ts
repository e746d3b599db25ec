import { AppError } from '@mostrador/kit/rpc/errors';

/** A person of another store is not found, as one who does not exist. */
export const unknownPerson = (): AppError =>
  new AppError('user_not_found', { detail: 'The store has no person with this id. Check the id.' });
