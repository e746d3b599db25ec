/** The error of a held follow-up. */
export const restored = {
  code: 'restored',
  detail: 'The database was restored, and the follow-up may have been sent. Check that, then release or cancel it.',
};
