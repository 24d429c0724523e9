import type { Change } from '../../support/testBuild.ts'

/** A fault of the program that a checker has to find. */
export interface PlantedFault {
  readonly name: string
  /** The beginning of the rule by which it is found. */
  readonly rule: string
  readonly changes: readonly Change[]
}

const HEAD = 'fleet/head/servedHead.ts'
const CHAIN = 'node/chainThread/fleetChain.ts'
const MEMBERS = 'fleet/presence/members.ts'
/** The chain thread keeps the rule as well. */
const TRUSTING: Change = {
  file: CHAIN,
  find: 'if (best.hash.equals(hash)) return true',
  replace: 'return true',
}

/** One at least for each rule of fleet.md that the simulation checks. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a block waits three times as long',
    rule: '1',
    changes: [
      {
        file: HEAD,
        find: 'if (waited < this.#wait) return null',
        replace: 'if (waited < 3 * this.#wait) return null',
      },
    ],
  },
  {
    name: 'a send waits for five seconds',
    rule: '1',
    changes: [{ file: CHAIN, find: 'delay(this.#sendWait)', replace: 'delay(5000)' }],
  },
  {
    name: 'a poll waits for ten seconds',
    rule: '1',
    changes: [
      { file: 'fleet/filters/fleetFilters.ts', find: 'ANSWERS_IN = 2000', replace: 'ANSWERS_IN = 10_000' },
    ],
  },
  {
    name: 'blocks of a member that was cut off are waited for',
    rule: '1 refused',
    changes: [{ file: MEMBERS, find: 'const isApart = wasAway &&', replace: 'const isApart = false &&' }],
  },
  {
    name: 'silent members are present',
    rule: '2 silent',
    changes: [{ file: MEMBERS, find: 'PRESENT_FOR = 2000', replace: 'PRESENT_FOR = 20_000' }],
  },
  {
    name: 'members of another chain are present',
    rule: '2 genesis',
    changes: [{ file: MEMBERS, find: 'member.genesis !== this.#own.genesis', replace: 'false' }],
  },
  {
    name: 'members that are behind are present',
    rule: '2 behind',
    changes: [
      {
        file: MEMBERS,
        find: "return this.isBehind(member.executed.totalDifficulty, now) ? 'behind' : null",
        replace: 'return null',
      },
    ],
  },
  {
    name: 'a copied directory joins',
    rule: '2 copy',
    changes: [
      {
        file: 'fleet/presence/identity.ts',
        find: "if (this.#state === 'joined' && !isLater) return true",
        replace: 'return true',
      },
    ],
  },
  {
    name: 'blocks do not wait for members',
    rule: '3 waits',
    changes: [{ file: HEAD, find: 'if (!isLacking) return', replace: 'if (waited >= 0) return' }],
  },
  {
    name: 'the head goes to a block that is not heavier',
    rule: '3 back',
    changes: [
      TRUSTING,
      {
        file: HEAD,
        find: 'if (way.length > 0 && block.totalDifficulty <= head.totalDifficulty) break',
        replace: '',
      },
      {
        file: HEAD,
        find: 'block !== undefined && !block.hash.equals(head.hash)',
        replace: 'block !== undefined',
      },
    ],
  },
  {
    name: 'blocks that were overtaken are adopted',
    rule: '3 overtaken',
    changes: [
      TRUSTING,
      {
        file: HEAD,
        find: 'this.#heaviest = heaviest\n',
        replace: 'this.#heaviest = blocks.at(-1) ?? heaviest\n',
      },
    ],
  },
  {
    name: 'late members are waited for without end',
    rule: '3 late',
    changes: [{ file: HEAD, find: '?? 0) >= LATE_BLOCKS', replace: '?? 0) < 0' }],
  },
  {
    name: 'members are not late for what another one adopted first',
    rule: '3 late',
    changes: [{ file: HEAD, find: 'if (isLacking && now < end) this.#early.push(block)', replace: '' }],
  },
  {
    name: 'announced blocks are null',
    rule: '3 readable',
    changes: [
      {
        file: 'gateway/entrance/announcedBlocks.ts',
        find: "if (typeof name === 'number') return name > height",
        replace: "if (typeof name === 'number') return name < 0",
      },
    ],
  },
  {
    name: 'another member than the first makes blocks',
    rule: '4 maker',
    changes: [
      {
        file: 'fleet/runtime/maker.ts',
        find: 'one.id < other.id ? -1 : 1',
        replace: 'one.id < other.id ? 1 : -1',
      },
    ],
  },
  {
    name: 'sends are answered before others have them',
    rule: '5 known',
    changes: [
      { file: 'fleet/pool/transactionAnnouncer.ts', find: 'await Promise.all(waits)', replace: 'void waits' },
    ],
  },
  {
    name: 'what was sent without NATS is not fetched',
    rule: '5',
    changes: [
      {
        file: 'fleet/pool/poolExchange.ts',
        find: 'await chain.receive(transactions)',
        replace: 'void transactions',
      },
    ],
  },
  {
    name: 'a poll whose answer was lost is lost',
    rule: '8',
    changes: [
      {
        file: 'fleet/filters/fleetFilters.ts',
        find: 'last?.undo()',
        replace: '',
      },
    ],
  },
  {
    name: 'polls tell what was told',
    rule: '8',
    changes: [
      {
        file: 'fleet/filters/fleetFilters.ts',
        find: 'if (this.#forwarded.get(call.id)?.poll === call.poll) this.#forget(call.id)',
        replace: '',
      },
    ],
  },
  {
    name: 'rubbish stops a member',
    rule: '10',
    changes: [
      {
        file: 'fleet/runtime/failures.ts',
        find: 'this.add(name, what, error)',
        replace: 'throw error',
      },
    ],
  },
]
