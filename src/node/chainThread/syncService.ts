import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConnectResult } from '../../chain/blockchain.ts'
import type { Block } from '../../chain/codec/block.ts'
import { readTransactions } from '../../chain/codec/readTransactions.ts'
import { decodeReadBlock } from '../../chain/import/decodeReadBlock.ts'
import type { ReadBlock } from '../../chain/import/messages.ts'
import { InvalidBlockError } from '../../chain/validation/errors.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { SyncService } from '../../sync/link/serveSyncLink.ts'
import type { BlockOutcome, ChainTip, TransactionOutcome } from '../../sync/syncChain.ts'
import type { PoolRefusal } from '../../txpool/errors.ts'
import { fromHex } from '../../util/bytes.ts'
import type { ChainCore } from './chainCore.ts'

/**
 * Blocks of peers are connected for so long, milliseconds, before requests of clients get their turn of this thread:
 * longer where so few blocks went in that the commit, which every turn ends with, would cost too much of the time.
 */
const TURN_MILLISECONDS = 50
const MAX_TURN_MILLISECONDS = 200
const TURN_BLOCKS = 64

/** The services of the chain for peers. */
export function createSyncService(core: ChainCore): SyncService {
  const { chain } = core.open
  return {
    get tip(): ChainTip {
      // Peers learn of blocks that wait to be adopted.
      const { number, hash, parentHash } = chain.best
      return { number, hash, parentHash, totalDifficulty: chain.reader.totalDifficulty(hash) ?? 0n }
    },
    pending: () => pendingOf(core),
    connect: (blocks) => connectInTurns(core.spec, blocks, (turn) => core.connectFromPeers(turn)),
    addTransactions: (encoded) => addTransactions(core, encoded),
  }
}

function* pendingOf({ pool }: ChainCore): Generator<Buffer> {
  for (const { transaction } of pool.inBlockOrder()) yield transaction.encoded
}

/**
 * One commit per turn; the rest waits while clients are served.
 * @param connectTurn connects the blocks of a turn, in one commit
 */
export async function connectInTurns(
  spec: NetworkSpec,
  blocks: readonly ReadBlock[],
  connectTurn: (blocks: Iterable<Block>) => readonly ConnectResult[],
): Promise<BlockOutcome[]> {
  const outcomes: BlockOutcome[] = []
  let undecodable: InvalidBlockError | null = null
  let taken = 0
  const turn = function* (): Generator<Block> {
    const began = performance.now()
    const first = taken
    do {
      const read = blocks[taken]
      if (read === undefined) return
      taken += 1
      const block = decodeReadBlock(spec, read)
      if (block instanceof InvalidBlockError) {
        undecodable = block
        return
      }
      yield block
    } while (
      performance.now() - began <
      (taken - first < TURN_BLOCKS ? MAX_TURN_MILLISECONDS : TURN_MILLISECONDS)
    )
  }
  while (taken < blocks.length && undecodable === null) {
    if (taken > 0) await nextTurn()
    const results = connectTurn(turn())
    outcomes.push(...results.map(toOutcome))
    const last = outcomes.at(-1)?.status
    if (last === 'INVALID_BLOCK' || last === 'UNDECIDED') return outcomes
  }
  if (undecodable !== null) outcomes.push(refusal(undecodable))
  return outcomes
}

function toOutcome(result: ConnectResult): BlockOutcome {
  switch (result.status) {
    case 'INVALID_BLOCK':
      return refusal(result.error)
    case 'UNDECIDED':
      return { status: 'UNDECIDED', reason: result.error.message }
    case 'IMPORTED_NOT_BEST':
      return { status: result.isHeaviest === true ? 'IMPORTED_BEST' : 'IMPORTED_NOT_BEST' }
    default:
      return { status: result.status }
  }
}

function refusal(error: InvalidBlockError): BlockOutcome {
  const { number, hash, rule, expected, found } = error
  return { status: 'INVALID_BLOCK', refusal: { number, hash: fromHex(hash), rule, expected, found } }
}

/** Transactions that do not decode or that nobody of this chain signed are invalid: whoever sends them is at fault. */
export async function addTransactions(
  core: ChainCore,
  encoded: readonly Buffer[],
): Promise<TransactionOutcome[]> {
  const read = await readTransactions(encoded, core.spec.chainId)
  const signed = read.flatMap((item) => (item === null || item instanceof Error ? [] : [item]))
  const refusals = core.addFromPeers(signed).values()
  return read.map((item) =>
    item === null || item instanceof Error ? 'invalid' : outcomeOf(refusals.next().value ?? null),
  )
}

function outcomeOf(refused: PoolRefusal | null): TransactionOutcome {
  if (refused === null) return 'added'
  return refused.code === 'KNOWN_PENDING' || refused.code === 'KNOWN_QUEUED' ? 'known' : 'refused'
}
