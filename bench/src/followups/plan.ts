/** The plan of a run. */
export type FollowupPlan = {
  readonly rounds: number;
  /** Follow-ups, and bare workflows, scheduled in each round. */
  readonly batch: number;
  /** Follow-ups that are pending while others fall due. */
  readonly pending: number;
  readonly due: number;
  readonly dueOverMs: number;
  /** Rounds in which `due` follow-ups fall due. */
  readonly dueRounds: number;
  /** The seed of the kills in the last round. */
  readonly seed: number;
};
