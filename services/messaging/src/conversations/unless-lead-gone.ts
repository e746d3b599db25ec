import { AppError } from '@mostrador/kit/rpc/errors';

/** The answer of crm about a lead. Undefined: the store has no such lead, or has deleted it. */
export async function unlessLeadGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return undefined;
    throw error;
  }
}
