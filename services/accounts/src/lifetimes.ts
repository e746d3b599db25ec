/** An invitation is sent to a person who may look at it later. A login link is for now. */
export const invitationDays = 7;
export const loginLinkMinutes = 60;
