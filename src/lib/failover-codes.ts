/**
 * Codes with which MongoDB rejects an operation because another member is or becomes the primary: NotWritablePrimary,
 * NotPrimaryOrSecondary, NotPrimaryNoSecondaryOk, PrimarySteppedDown, InterruptedDueToReplStateChange,
 * InterruptedAtShutdown, ShutdownInProgress. Through mongos also HostUnreachable, HostNotFound, NetworkTimeout,
 * ExceededTimeLimit, SocketException.
 * https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
 */
export const FAILOVER_CODES: readonly number[] = [
  10_107, 13_436, 13_435, 189, 11_602, 11_600, 91, 6, 7, 89, 262, 9001,
];
