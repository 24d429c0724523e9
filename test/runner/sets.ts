/** Files and folders that `npm test` leaves to `npm run test:all`, and why. */
export const REST: ReadonlyMap<string, string> = new Map([
  ['test/faults', 'kills, damaged stores, full disks'],
  ['test/fleet', 'fleets of members and NATS servers'],
  ['test/network', 'networks of whole nodes'],
  ['test/page', 'browsers'],
  ['test/fuzz', 'floods of malformed requests'],
  ['test/e2e/balancers.test.ts', 'programs of others in front of nodes'],
  ['test/e2e/backfill.test.ts', 'nodes that are killed, and their peers'],
  ['test/e2e/bootstrap.test.ts', 'nodes and servers of snapshots'],
  ['test/e2e/overload.test.ts', 'abuse'],
  ['test/e2e/peerStats.test.ts', 'networks of whole nodes'],
  ['test/e2e/peerThread.test.ts', 'networks of whole nodes'],
  ['test/e2e/peers.test.ts', 'networks of whole nodes'],
  ['test/e2e/snapshotKilled.test.ts', 'kills'],
  ['test/e2e/snapshotWhileImporting.test.ts', 'an import of minutes'],
  ['test/e2e/systemCallFilter.test.ts', 'the filter of the systemd unit'],
  ['test/mining/process.test.ts', 'kills'],
  ['test/vectors/bridge.test.ts', 'cargo builds the program that runs them'],
  ['test/vectors/mutants.test.ts', 'ten thousand mutants of blocks'],
])

/** Whether a file belongs to `npm run test:all` and not to `npm test`. */
export function isOfTheRest(path: string): boolean {
  return [...REST.keys()].some((begin) => path === begin || path.startsWith(`${begin}/`))
}
