import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Block } from '../../src/chain/codec/block.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { UncleSelection } from '../../src/chain/uncleSelection.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { BlockBuilder } from '../../src/mining/blockBuilder.ts'
import { sealInProcess } from '../../src/mining/seal.ts'
import { createWorkload, type WorkloadName } from './workloads.ts'

export interface GenerateOptions {
  readonly workload: WorkloadName
  /** Number of blocks after those that set up accounts and contracts. */
  readonly blocks: number
  readonly transactionsPerBlock: number
  /** File of concatenated RLP blocks to write. */
  readonly file: string
  readonly onBlock?: (number: number) => void
}

const GAS_LIMIT = 10_000_000n
/** Above the target block time, so that the difficulty stays at its minimum. */
const BLOCK_SECONDS = 30
const BLOCKS_PER_COMMIT = 64
const COINBASE = Buffer.alloc(20, 0xbe)

/**
 * Writes a valid regtest chain: built by the node's own block builder from transactions of fixed keys, at
 * fixed times. The same options give the same bytes; an existing file is kept.
 */
export async function generateChain(options: GenerateOptions): Promise<void> {
  const { file } = options
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-chain-'))
  const spec = networkByName('regtest')
  const opened = openChain({ spec, dataDir: folder })
  const unfinished = `${file}.unfinished`
  const output = createWriteStream(unfinished)
  try {
    const { chain, nativeSpec, stateStore: store } = opened
    const { ancestry, reader } = chain
    const builder = new BlockBuilder({
      spec,
      nativeSpec,
      store,
      ancestry,
      uncles: new UncleSelection({ spec, nativeSpec, ancestry, reader, now: () => chain.head.timestamp }),
      policy: { coinbase: COINBASE, minimumGasPrice: 0n, gasLimit: GAS_LIMIT, extraData: Buffer.alloc(0) },
    })
    const build = (transactions: readonly SignedTransaction[]): Block => {
      const parent = chain.head
      const built = builder.build(parent, transactions, parent.timestamp + BLOCK_SECONDS)
      const skipped = built.execution.skipped[0]
      if (skipped !== undefined) throw new Error(`block ${parent.number + 1}: ${skipped.reason}`)
      return sealInProcess(built.block)
    }
    const workload = createWorkload(options.workload)
    const last = workload.setup.length + options.blocks
    // Each block is built when the one before is connected, and many share a commit.
    function* batch(): Generator<Block> {
      for (let i = 0; i < BLOCKS_PER_COMMIT && chain.head.number < last; i++) {
        const prepared = workload.setup[chain.head.number]
        const block = build(prepared ?? workload.next(options.transactionsPerBlock))
        output.write(block.encoded)
        options.onBlock?.(block.number)
        yield block
      }
    }
    while (chain.head.number < last) {
      for (const { status } of chain.connectAll(batch())) {
        if (status !== 'IMPORTED_BEST') throw new Error(`after block ${chain.head.number}: ${status}`)
      }
      // Yields to the write of the file, because the next batch awaits nothing else.
      if (output.writableNeedDrain) await once(output, 'drain')
    }
    output.end()
    await finished(output)
    renameSync(unfinished, file)
  } finally {
    output.destroy()
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
