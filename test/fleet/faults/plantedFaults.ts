import type { Change } from '../../support/testBuild.ts'
import { PLANTED_FAULTS } from '../simulation/plantedFaults.ts'

/** A fault of the program that rounds with real members have to find. */
export interface PlantedRound {
  readonly name: string
  readonly changes: readonly Change[]
  /** Words in the names of faults that show it. */
  readonly shownBy: readonly string[]
  /** What it is found as. */
  readonly found: RegExp
}

const simulated = (name: string): readonly Change[] => {
  const fault = PLANTED_FAULTS.find((planted) => planted.name === name)
  if (fault === undefined) throw new Error(`no planted fault "${name}"`)
  return fault.changes
}

/** Those that clients of real members see. */
export const PLANTED_ROUNDS: readonly PlantedRound[] = [
  {
    name: 'requests wait for members that are away',
    changes: [
      { file: 'fleet/runtime/frontNews.ts', find: 'ANNOUNCED_FOR = 1500', replace: 'ANNOUNCED_FOR = 60_000' },
      {
        file: 'gateway/entrance/entrance.ts',
        find: 'RENEWED_MILLISECONDS = 1500',
        replace: 'RENEWED_MILLISECONDS = 60_000',
      },
      { file: 'fleet/presence/members.ts', find: 'PRESENT_FOR = 2000', replace: 'PRESENT_FOR = 60_000' },
      {
        file: 'gateway/entrance/announcedBlocks.ts',
        find: "if (typeof name === 'number') return name > height && name <= Math.min(this.#ahead, height + MAX_AHEAD)",
        replace: "if (typeof name === 'number') return name >= height",
      },
      {
        file: 'gateway/entrance/announcedBlocks.ts',
        find: 'this.#ahead > height || (this.#hashes.size > 0 && isLacking())',
        replace: 'this.#hashes.size > 0 || isLacking()',
      },
    ],
    // Of these one makes blocks: while it is away the next one does not come.
    shownBy: ['member 0 killed', 'member 1 killed', 'member 2 killed'],
    found: /failed/,
  },
  {
    name: 'a poll whose answer was lost is lost',
    changes: simulated('a poll whose answer was lost is lost'),
    shownBy: ['member 0 stopped', 'member 1 stopped', 'member 2 stopped', 'all NATS servers'],
    found: /did not tell block/,
  },
  {
    name: 'polls tell what was told',
    changes: simulated('polls tell what was told'),
    shownBy: ['NATS server'],
    found: /twice/,
  },
  {
    name: 'transactions of others do not enter the pool',
    changes: [
      {
        file: 'node/chainThread/syncService.ts',
        find: 'const read = await readTransactions(encoded, core.spec.chainId)',
        replace: 'const read: Awaited<ReturnType<typeof readTransactions>> = encoded.map(() => null)',
      },
    ],
    shownBy: ['member 0 killed'],
    found: /has lost the transaction/,
  },
]
