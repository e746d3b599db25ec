const phone = /^[1-9][0-9]{7,14}$/;

/** The channel's id of a customer as a phone. Null when it is none. */
export const asPhone = (waId: string | null): string | null => (waId !== null && phone.test(waId) ? waId : null);
