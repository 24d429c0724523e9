import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Blockchain } from '../../../src/chain/blockchain.ts'
import { type Block, parseBlock } from '../../../src/chain/codec/block.ts'
import { CodecError, isUndecodable } from '../../../src/chain/codec/errors.ts'
import { parseActivationFile } from '../../../src/config/activationFile.ts'
import { createNetworkSpec, type NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { CHOSEN_HEIGHTS } from '../../../src/config/networks/configured.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { openChain } from '../../../src/execution/openChain.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import type { Comparison } from '../comparison.ts'

interface ConfigLine {
  readonly kind: 'block-mutants'
  readonly network: NetworkName
  /** By upgrade or rule; the network's own where there are none. */
  readonly activationHeights?: Readonly<Record<string, number>>
}

/** A block that was offered to the reference, and what it said. */
interface OfferedLine {
  readonly number: number
  /** `ORIG` for a block of the chain; else what was changed in it. */
  readonly mutation: string
  /** What became of it; `DECODE` for bytes that are no block. */
  readonly verdict: string
  /** 64 hex digits; `-` for what did not decode. */
  readonly hash: string
  /** Hash of the best block afterwards. */
  readonly head: string
  readonly rlp: string
}

/** What this node says of a block. */
interface Found {
  readonly verdict: string
  /** null where the block has one that is not computed here. */
  readonly hash: string | null
  readonly head: string
}

/** Verdict of bytes that are no block. */
const UNDECODABLE = 'DECODE'
/** What the decoder expects of a height. */
const HEIGHT_LIMIT = 'number of at most 53 bits'
const NO_HASH = '-'

/** Blocks per commit: more than one, so that reads see what is not committed yet. */
const COMMIT_EVERY = 16

/** block-mutants*.jsonl: a chain and mutants of its blocks, each offered in its turn. */
export async function compareBlockMutants(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) throw new Error('no line with the network')
  const spec = specOf(first.value as ConfigLine)
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-vectors-'))
  try {
    const opened = openChain({ spec, dataDir })
    try {
      for await (const batch of batches({ [Symbol.asyncIterator]: () => iterator })) {
        compareBatch(spec, opened.chain, batch, comparison)
      }
    } finally {
      await opened.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The network, with the heights of a development network where they are given. */
function specOf({ network, activationHeights }: ConfigLine): NetworkSpec {
  if (activationHeights === undefined) return networkByName(network)
  const table = CHOSEN_HEIGHTS[network]
  if (table === undefined) throw new Error(`the heights of ${network} cannot be chosen`)
  const heights = parseActivationFile(JSON.stringify(activationHeights), 'the first line', table)
  return createNetworkSpec(networkByName(network), { activationHeights: heights })
}

async function* batches(lines: AsyncIterable<unknown>): AsyncGenerator<OfferedLine[]> {
  let batch: OfferedLine[] = []
  for await (const line of lines) {
    batch.push(line as OfferedLine)
    if (batch.length < COMMIT_EVERY) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function compareBatch(
  spec: NetworkSpec,
  chain: Blockchain,
  batch: readonly OfferedLine[],
  comparison: Comparison,
): void {
  const blocks = batch.map(({ rlp }) => decode(spec, rlp))
  const found = offer(chain, blocks)
  batch.forEach((line, index) => {
    comparison.case(`block ${line.number} ${line.mutation}`, (values) => {
      values.equal('verdict', line.verdict, found[index]?.verdict)
      if (found[index]?.hash !== null) values.equal('hash', line.hash, found[index]?.hash)
      values.equal('head', line.head, found[index]?.head)
      const block = blocks[index]
      if (typeof block !== 'object' || !line.verdict.startsWith('IMPORTED')) return
      values.equal('read again', block.encoded, chain.reader.blockByHash(block.hash)?.encoded)
    })
  })
}

/** A block, or the verdict on bytes that are none here. */
function decode(spec: NetworkSpec, rlp: unknown): Block | 'DECODE' | 'INVALID_BLOCK' {
  if (typeof rlp !== 'string') throw new Error('a line without a block')
  try {
    return parseBlock(spec, fromHex(rlp))
  } catch (error) {
    if (!isUndecodable(error)) throw error
    // The reference decodes heights of 54 to 63 bits, which no rule of it then takes (consensus.md §2.7).
    const isHigh = error instanceof CodecError && error.expected === HEIGHT_LIMIT
    return isHigh ? 'INVALID_BLOCK' : UNDECODABLE
  }
}

/** Offers blocks in order, and passes on the verdicts on those that are none. */
function offer(chain: Blockchain, blocks: readonly (Block | 'DECODE' | 'INVALID_BLOCK')[]): Found[] {
  let head = chain.head.hashHex
  const verdicts = connectAll(
    chain,
    blocks.filter((block) => typeof block !== 'string'),
  )
  return blocks.map((block) => {
    if (typeof block === 'string') {
      return { verdict: block, hash: block === UNDECODABLE ? NO_HASH : null, head }
    }
    const result = verdicts.shift()
    if (result?.status === 'IMPORTED_BEST') head = result.change.head.hashHex
    const verdict = result?.status === 'UNDECIDED' ? result.error.message : (result?.status ?? 'nothing')
    return { verdict, hash: block.hashHex, head }
  })
}

/** A result for each block: a chain stops at one that it refuses, and is offered the rest anew. */
function connectAll(chain: Blockchain, blocks: readonly Block[]): ReturnType<Blockchain['connectAll']> {
  const results: ReturnType<Blockchain['connectAll']> = []
  while (results.length < blocks.length) {
    results.push(...chain.connectAll(blocks.slice(results.length)))
  }
  return results
}
