// The clean systems and the cells of the table: which Debian, which Node.js, what must come of it.

/** A Debian release, with the packages that README asks for, and git, which brings the checkout. */
export interface System {
  readonly suite: string
  readonly name: string
}

/** A Node.js as its maintainers hand it out: the version, and the npm that comes with that line. */
export interface NodeRelease {
  readonly major: number
  readonly version: string
  readonly npm: string
}

export type Outcome = 'answers' | 'refused'

export interface Cell {
  readonly system: System
  readonly node: NodeRelease
  readonly expected: Outcome
}

const DEBIAN_12: System = { suite: 'bookworm', name: 'Debian 12' }
const DEBIAN_13: System = { suite: 'trixie', name: 'Debian 13' }

const NODE_20: NodeRelease = { major: 20, version: '20.20.2', npm: '10.8.2' }
const NODE_22: NodeRelease = { major: 22, version: '22.23.3', npm: '10.9.9' }
const NODE_24: NodeRelease = { major: 24, version: '24.21.0', npm: '11.21.2' }
/** The socket library has no binary for it. */
const NODE_26: NodeRelease = { major: 26, version: '26.10.0', npm: '11.21.2' }

/** "A C compiler" of README; git and the certificates fetch the sources, the packages and the crates. */
export const BUILD_PACKAGES: readonly string[] = ['ca-certificates', 'gcc', 'git', 'libc6-dev']
/** A packed install needs no compiler. */
export const INSTALL_PACKAGES: readonly string[] = ['ca-certificates']

/**
 * In the order in which they run. The first of a system builds the native core, the others take it over; a cell
 * that is refused comes after one that works, whose installation it tries to start.
 */
export const CELLS: readonly Cell[] = [
  { system: DEBIAN_12, node: NODE_20, expected: 'answers' },
  { system: DEBIAN_12, node: NODE_22, expected: 'answers' },
  { system: DEBIAN_12, node: NODE_24, expected: 'answers' },
  { system: DEBIAN_12, node: NODE_26, expected: 'refused' },
  { system: DEBIAN_13, node: NODE_24, expected: 'answers' },
  { system: DEBIAN_13, node: NODE_22, expected: 'answers' },
  { system: DEBIAN_13, node: NODE_20, expected: 'answers' },
]

/** What `--short` runs: one system that builds the native core and answers, and one that is refused. */
export const SHORT_CELLS: readonly Cell[] = [
  { system: DEBIAN_12, node: NODE_24, expected: 'answers' },
  { system: DEBIAN_12, node: NODE_26, expected: 'refused' },
]

/** Tests of the release profile: recorded vectors, recorded requests, and a client with a node in processes of its own. */
export const RELEASE_TESTS: readonly string[] = [
  'test/vectors/recorded.test.ts',
  'test/replay/replay.test.ts',
  'test/e2e/ethers.test.ts',
]

/** The packages are made in the system with the older libc, and installed where there is no compiler. */
export const PACKED: {
  readonly made: Omit<Cell, 'expected'>
  readonly installed: readonly Omit<Cell, 'expected'>[]
} = {
  made: { system: DEBIAN_12, node: NODE_22 },
  installed: [{ system: DEBIAN_13, node: NODE_24 }],
}
