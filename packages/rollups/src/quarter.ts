/** What is closed at a time, and the unit in which it is kept. */
export const quarterMs = 15 * 60_000;

/** The subject of facts about a store as a whole. */
export const storeItself = '00000000-0000-0000-0000-000000000000';

/** Where closing begins: nothing that is counted is older. */
export const nothingClosed = new Date(0);
