type Query<Data> = {
  readonly data: Data | undefined;
  readonly isPlaceholderData: boolean;
  readonly failureCount: number;
};

/** The data of a query. What an earlier question found is not shown for one that fails. */
export const shownData = <Data>({ data, isPlaceholderData, failureCount }: Query<Data>): Data | undefined =>
  isPlaceholderData && failureCount > 0 ? undefined : data;
