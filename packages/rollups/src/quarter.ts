/** The unit in which rollups are closed and stored. */
export const quarterMs = 15 * 60_000;

/** The subject of facts about a store as a whole. */
export const storeItself = '00000000-0000-0000-0000-000000000000';

/** Where closing begins: no fact is older. */
export const nothingClosed = new Date(0);
