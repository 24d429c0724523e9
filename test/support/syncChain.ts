import { type Block, parseBlock } from '../../src/chain/codec/block.ts'
import type { InvalidBlockError } from '../../src/chain/validation/errors.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import type { BlockOutcome, ChainTip, SyncChain, TipChange } from '../../src/sync/syncChain.ts'
import { fromHex } from '../../src/util/bytes.ts'

/** A chain in this thread as synchronisation sees it. */
export class LocalSyncChain implements SyncChain {
  readonly spec: NetworkSpec
  readonly #open: OpenChain
  /** Called with each group of blocks before it is connected; what it returns is the outcome instead. */
  before: (blocks: readonly Buffer[]) => readonly BlockOutcome[] | null = () => null
  /** Blocks of each commit. */
  readonly commits: number[] = []

  constructor(spec: NetworkSpec, open: OpenChain) {
    this.spec = spec
    this.#open = open
  }

  get reader(): SyncChain['reader'] {
    return this.#open.chain.reader
  }

  refresh(): void {
    this.#open.environment.refresh()
  }

  get tip(): ChainTip {
    const { head, reader } = this.#open.chain
    const totalDifficulty = reader.totalDifficulty(head.hash)
    if (totalDifficulty === null) throw new Error('the head has no total difficulty')
    return { number: head.number, hash: head.hash, parentHash: head.parentHash, totalDifficulty }
  }

  async connect(blocks: readonly Buffer[]): Promise<readonly BlockOutcome[]> {
    // As through a port: never in the turn of the caller.
    await new Promise((resolve) => setImmediate(resolve))
    const instead = this.before(blocks)
    if (instead !== null) return instead
    this.commits.push(blocks.length)
    const outcomes: BlockOutcome[] = []
    const parsed: Block[] = []
    for (const encoded of blocks) {
      try {
        parsed.push(parseBlock(this.spec, encoded))
      } catch (error) {
        const found = error instanceof Error ? error.message : String(error)
        const refusal = {
          number: 0,
          hash: Buffer.alloc(32),
          rule: 'encoding',
          expected: 'a block',
          found,
        } as const
        outcomes.push({ status: 'INVALID_BLOCK', refusal })
        break
      }
    }
    const results = this.#open.chain.connectAll(parsed).map((result): BlockOutcome => {
      if (result.status === 'INVALID_BLOCK') return refused(result.error)
      if (result.status === 'UNDECIDED') return { status: 'UNDECIDED', reason: result.error.message }
      return { status: result.status }
    })
    return results.length < parsed.length ? results : [...results, ...outcomes]
  }

  async addTransactions(): Promise<[]> {
    return []
  }

  onTip(listener: (change: TipChange) => void): () => void {
    return this.#open.chain.onHead(({ enacted }) =>
      listener({ tip: this.tip, enacted: enacted.map(({ number, hash }) => ({ number, hash })) }),
    )
  }

  onTransactions(): () => void {
    return () => undefined
  }
}

function refused(error: InvalidBlockError): BlockOutcome {
  const { rule, expected, found, number, hash } = error
  return { status: 'INVALID_BLOCK', refusal: { rule, expected, found, number, hash: fromHex(hash) } }
}
