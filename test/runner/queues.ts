/** Unit tests that run in a process of their own though their text does not show why. */
export const OWN_PROCESS: ReadonlyMap<string, string> = new Map([])

/**
 * Files that use a processor for about half of their time or less: they wait for timers, for disks, for other processes
 * that do. The table at the end of a run tells.
 */
export const WAITING: ReadonlySet<string> = new Set([
  'test/fleet/balancers.test.ts',
  'test/fleet/connection.test.ts',
  'test/mining/pools.test.ts',
  'test/network/attackers.test.ts',
  'test/network/claims.test.ts',
  'test/network/partition.test.ts',
  'test/page/explorer.test.ts',
  'test/unit/front/parser.test.ts',
  'test/unit/front/unfinishedMessages.test.ts',
  'test/unit/mining/blockProducer.test.ts',
  'test/unit/p2p/connection/connection.test.ts',
  'test/unit/p2p/peers/peerNetwork.test.ts',
  'test/unit/sync/client/claims.test.ts',
  'test/unit/sync/client/stalls.test.ts',
  'test/unit/sync/client/tip.test.ts',
  'test/unit/sync/snapshot/snapshotSync.test.ts',
  'test/vectors/recorded.test.ts',
  'test/walks/walks.test.ts',
])

/** Files that take longest, in the order in which they begin: what begins last is not to take long. */
export const SLOWEST: readonly string[] = [
  'test/library/library.test.ts',
  'test/vectors/recorded.test.ts',
  'test/package/install.test.ts',
  'test/e2e/operations.test.ts',
  'test/e2e/snapshotReads.test.ts',
  'test/e2e/ownWrites.test.ts',
  'test/e2e/lostOutput.test.ts',
  'test/e2e/keys.test.ts',
  'test/bridge/rehearsal.test.ts',
  'test/unit/sync/snapshot/snapshotSync.test.ts',
  'test/replay/replay.test.ts',
  'test/fleet/counters.test.ts',
  'test/faults/flippedStart.test.ts',
  'test/vectors/mutants.test.ts',
  'test/fleet/members.test.ts',
  'test/page/explorer.test.ts',
  'test/fleet/keys.test.ts',
  'test/faults/damagedStores.test.ts',
  'test/fleet/availability.test.ts',
  'test/faults/killSync.test.ts',
  'test/faults/flushFault.test.ts',
]
