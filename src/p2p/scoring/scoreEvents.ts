/** The events that are recorded of a peer (p2p.md §8). */
export const SCORE_EVENT_NAMES = [
  'successfulHandshake',
  'failedHandshake',
  'invalidNetwork',
  'incompatibleProtocol',
  'unexpectedGenesis',
  'disconnection',
  'repeatedMessage',
  'validBlock',
  'validTransaction',
  'invalidBlock',
  'invalidTransaction',
  'invalidMessage',
  'timeoutMessage',
  'unexpectedMessage',
  'invalidHeader',
] as const

/** Name of something that is counted. */
export type ScoreEventName = (typeof SCORE_EVENT_NAMES)[number]
