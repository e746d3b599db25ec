/** No id of an unknown customer is one by which a lead can be created. */
export class NoPhone extends Error {}

/** The code of a payload with a message that threw `NoPhone`. */
export const noPhone = 'no_phone';
