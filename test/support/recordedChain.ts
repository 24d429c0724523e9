import { encodeSenders } from '../../src/chain/chainStoreReader.ts'
import { type Block, parseBlock } from '../../src/chain/codec/block.ts'
import type { BlockHeader } from '../../src/chain/codec/header.ts'
import { parseReceipt, type Receipt } from '../../src/chain/codec/receipt.ts'
import { encodeList } from '../../src/chain/codec/rlpWriter.ts'
import { recoverSenders } from '../../src/chain/codec/signature.ts'
import type { ActivationHeights } from '../../src/config/activations.ts'
import { createNetworkSpec, type NetworkSpec } from '../../src/config/networkSpec.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import type { NetworkName } from '../../src/config/networks/names.ts'
import type { ChainReader } from '../../src/rpc/context.ts'
import { fromHex } from '../../src/util/bytes.ts'

interface RecordedBlock {
  readonly number: number
  readonly hash: string
  readonly main?: boolean
  readonly totalDifficulty: string
  readonly rlp: string
  readonly txs?: readonly { readonly hash: string; readonly receiptRlp: string }[]
}

interface ChainHead {
  readonly network: string
  readonly activationHeights: Partial<ActivationHeights>
}

interface Entry {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** As the chain store keeps them. */
  readonly storedReceipts: Buffer
  readonly senders: readonly Buffer[]
  readonly totalDifficulty: bigint
}

/** The blocks of a recorded chain file, readable as they stood when a block was the head. */
export class RecordedChain {
  readonly spec: NetworkSpec
  readonly #entries = new Map<string, Entry>()

  constructor(lines: readonly unknown[]) {
    const [head, ...blocks] = lines as [ChainHead, ...RecordedBlock[]]
    const network = networkByName(head.network.replace(/^--/, '') as NetworkName)
    this.spec = createNetworkSpec(network, { activationHeights: head.activationHeights })
    for (const recorded of blocks) this.#entries.set(recorded.hash.slice(2), this.#read(recorded))
  }

  /** Whether the block is in the file. */
  has(hash: Buffer): boolean {
    return this.#entries.has(hash.toString('hex'))
  }

  /** A reader whose head is the given block. Blocks above it are not there. */
  readerAt(head: Buffer): ChainReader {
    const canonical = new Map<number, Entry>()
    let entry = this.#find(head)
    while (entry !== undefined) {
      canonical.set(entry.block.number, entry)
      entry = this.#find(entry.block.header.parentHash)
    }
    const tip = this.#find(head)
    if (tip === undefined) throw new Error(`no block ${head.toString('hex')} in the chain file`)
    const known = (hash: Buffer): Entry | undefined => {
      const found = this.#find(hash)
      return found !== undefined && found.block.number <= tip.block.number ? found : undefined
    }
    return {
      head: () => tip.block.header,
      headHash: () => tip.block.hash,
      history: () => ({ firstBlock: 0, firstReceipts: 0, firstState: 0 }),
      headerByNumber: (number): BlockHeader | null => canonical.get(number)?.block.header ?? null,
      headerByHash: (hash) => known(hash)?.block.header ?? null,
      storedHeader: (hash) => known(hash)?.block.header ?? null,
      blockByHash: (hash) => known(hash)?.block ?? null,
      hashByNumber: (number) => canonical.get(number)?.block.hash ?? null,
      hashesByNumber: (numbers) =>
        Buffer.concat(numbers.map((number) => canonical.get(number)?.block.hash ?? Buffer.alloc(0))),
      blocksAt: (number) =>
        [...this.#entries.values()]
          .filter(({ block }) => block.number === number && number <= tip.block.number)
          .map(({ block }) => ({ hash: block.hash, canonical: canonical.get(number)?.block === block }))
          .sort((a, b) => Number(b.canonical) - Number(a.canonical)),
      totalDifficulty: (hash) => known(hash)?.totalDifficulty ?? null,
      // No index: every height may hold logs.
      logHeights: (_criteria, from, to) => [
        Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index),
      ],
      storedReceipts: ({ hash }) => known(hash)?.storedReceipts ?? null,
      storedBody: ({ hash }) => known(hash)?.block.encodedBody ?? null,
      copyStored: (part, key, target, at) => {
        const entry = known(key.subarray(8))
        const stored = part === 'receipts' ? entry?.storedReceipts : entry?.block.encodedBody
        if (stored !== undefined && at + stored.length <= target.length) target.set(stored, at)
        return stored?.length ?? -1
      },
      receipts: ({ hash }) => known(hash)?.receipts ?? null,
      locateTransaction: (hash) => {
        for (const { block } of canonical.values()) {
          const index = block.transactions.findIndex((transaction) => transaction.hash.equals(hash))
          if (index >= 0) return { blockHash: block.hash, index }
        }
        return null
      },
      storedSenders: ({ hash }) => encodeSenders(known(hash)?.senders ?? []),
      heightOf: (hash) => known(hash)?.block.number ?? null,
      senders: (block) => this.#find(block.hash)?.senders ?? [],
    }
  }

  #find(hash: Buffer): Entry | undefined {
    return this.#entries.get(hash.toString('hex'))
  }

  #read(recorded: RecordedBlock): Entry {
    const block = parseBlock(this.spec, fromHex(recorded.rlp))
    const receipts = (recorded.txs ?? []).map(({ receiptRlp }) => fromHex(receiptRlp))
    return {
      block,
      receipts: receipts.map(parseReceipt),
      storedReceipts: encodeList(receipts),
      senders: recoverSenders(block.transactions).map((sender) => sender ?? Buffer.alloc(20)),
      totalDifficulty: BigInt(recorded.totalDifficulty),
    }
  }
}
