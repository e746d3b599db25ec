/** What a run does. */
export type FollowupPlan = {
  readonly rounds: number;
  /** Scheduled in each round, by the platform and bare. */
  readonly batch: number;
  /** How many are pending while others fall due. */
  readonly pending: number;
  readonly due: number;
  readonly dueOverMs: number;
  /** How many times that many fall due. */
  readonly dueRounds: number;
  /** Of the kills in the round after them. */
  readonly seed: number;
};
