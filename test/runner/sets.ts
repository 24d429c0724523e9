/** Files and folders that `npm test` leaves to `npm run test:all`, and why. */
export const REST: ReadonlyMap<string, string> = new Map([
  ['test/faults', 'kills, damaged stores, full disks'],
  ['test/fleet', 'fleets of members and NATS servers'],
  ['test/network', 'networks of whole nodes'],
  ['test/page', 'browsers'],
  ['test/fuzz', 'floods of malformed requests'],
  ['test/vectors/bridge.test.ts', 'cargo builds the program that runs them'],
  ['test/vectors/mutants.test.ts', 'ten thousand mutants of blocks'],
])

/** Whether a file belongs to `npm run test:all` and not to `npm test`. */
export function isOfTheRest(path: string): boolean {
  return [...REST.keys()].some((begin) => path === begin || path.startsWith(`${begin}/`))
}
