/** The number that a person typed, with a point or a comma before its decimals. Pure. Undefined: it is none. */
export const numberIn = (text: string): number | undefined =>
  /^\d{1,9}([.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : undefined;
