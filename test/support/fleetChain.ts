import type { Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import type { PartialConfig } from '../../src/config/schema.ts'
import type {
  FleetChainEvent,
  FleetChainService,
  FleetPublisher,
  LoggedTransaction,
} from '../../src/fleet/interface.ts'
import { createSharedLog } from '../../src/fleet/log/sharedLog.ts'
import type { FleetChain } from '../../src/node/chainThread/fleetChain.ts'
import { createFleetService } from '../../src/node/chainThread/fleetService.ts'
import type { LocalNode } from '../../src/node/localNode.ts'
import type { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'
import { TABLE_NAMES, type TableName } from '../../src/storage/tables.ts'
import { type LocalNodeFixture, openLocalNode } from './localNode.ts'
import { testFolder } from './testFolder.ts'

/** A log of transactions in memory, in place of that of NATS. */
export class TestLog {
  readonly entries: LoggedTransaction[] = []
  /** Milliseconds since 1970. */
  time = 1_700_000_000_000
  readonly #sequences = new Map<string, number>()
  /** Sends each entry at once to members, unless a test does it. */
  onEntry: (entry: LoggedTransaction) => void = () => undefined
  /** What publishing fails with. */
  failure: Error | null = null

  readonly publisher: FleetPublisher = this.#createPublisher()

  #createPublisher() {
    return {
      publishTransactions: async (encoded: readonly Buffer[], after: readonly (number | null)[]) => {
        if (this.failure !== null) throw this.failure
        return encoded.map((bytes, index) => this.publish(bytes, after[index] ?? null))
      },
      publishWork: async () => undefined,
      askForWork: async () => undefined,
    }
  }

  /** Appends a transaction; one that is in the log already keeps its place. */
  publish(encoded: Buffer, after: number | null = null): number {
    const id = `${encoded.toString('hex')}-${after}`
    const known = this.#sequences.get(id)
    if (known !== undefined) return known
    const sequence = this.entries.length + 1
    this.#sequences.set(id, sequence)
    return this.append(encoded)
  }

  /** The same, also of one that is in the log. */
  append(encoded: Buffer): number {
    const sequence = this.entries.length + 1
    const entry = { sequence, time: this.time, encoded }
    this.entries.push(entry)
    this.onEntry(entry)
    return sequence
  }
}

/** The chain thread's part of a member, in this thread. */
export interface TestMember extends LocalNode {
  readonly fleet: FleetChain
  readonly service: FleetChainService
  /** Blocks that the fleet thread was told of. */
  readonly accepted: FleetChainEvent[]
}

/** A member of a fleet of regtest that makes no blocks by itself, without its fleet thread. */
export function openMember(
  t: Test,
  config: PartialConfig = {},
  { log = null, ...fixture }: LocalNodeFixture & { readonly log?: TestLog | null } = {},
): TestMember {
  const node = openLocalNode(
    t,
    { dataDir: testFolder(t), mining: false, fleet: ['nats://127.0.0.1:4222'], ...config },
    fixture,
  )
  const { fleet } = node.core
  if (fleet === null) throw new Error('the node belongs to no fleet')
  const accepted: FleetChainEvent[] = []
  fleet.attach(log?.publisher ?? { publishTransactions: async () => [] }, (event) => accepted.push(event))
  fleet.stable.follow(createSharedLog())
  return { ...node, fleet, service: createFleetService(node.core, fleet), accepted }
}

const HEIGHT_ENTRY = 33

/** The blocks of a height with those beside the canonical one in the order of their hashes: no reader knows another. */
function sortedHeight(value: Buffer): string {
  const entries = Array.from({ length: value.length / HEIGHT_ENTRY }, (_, index) =>
    value.toString('hex', index * HEIGHT_ENTRY, (index + 1) * HEIGHT_ENTRY),
  )
  return entries.sort().reverse().join(' ')
}

/** Everything in the chain store, table by table. */
export function dumpTables(
  environment: ChainEnvironment,
  { without = [] }: { readonly without?: readonly TableName[] } = {},
): Record<string, string[]> {
  const dumped = TABLE_NAMES.filter((name) => !without.includes(name)).map((name) => {
    const show = name === 'heights' ? sortedHeight : (value: Buffer) => value.toString('hex')
    const entries = [...environment.entries(name)].map(
      ({ key, value }) => `${key.toString('hex')} ${show(value)}`,
    )
    return [name, entries] as const
  })
  return Object.fromEntries(dumped)
}

/** RLP of blocks. */
export function encodedBlocks(blocks: readonly Block[]): Buffer[] {
  return blocks.map(({ encoded }) => encoded)
}
