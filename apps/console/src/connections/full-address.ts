/** The address of a calendar as people give it, who often leave out its beginning. */
export const fullAddress = (text: string): string =>
  text === '' || /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
