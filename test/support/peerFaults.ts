/** Channel on which tests tell the peer thread of `failingPeerThread.ts` what to do. */
export const FAULTS = 'peer thread faults'

/** What it can do: throw, or be gone from one moment to the next without a word. */
export type Fault = 'throw' | 'exit'
