import t from 'tap'
import type { ChainStoreReader } from '../../../../src/chain/chainStoreReader.ts'
import { type Block, parseBlockUnchecked } from '../../../../src/chain/codec/block.ts'
import {
  ChunkIntake,
  checkStateChunk,
  STATE_CHUNK_SPAN,
  stateSize,
} from '../../../../src/native/stateChunks.ts'
import { StateStore } from '../../../../src/native/stateStore.ts'
import { decodePeerMessage, encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import type { SnapRequest } from '../../../../src/sync/serve/answerRequest.ts'
import { SnapAnswers } from '../../../../src/sync/serve/snapAnswers.ts'
import { storedStates } from '../../../../src/sync/serve/storedStates.ts'
import { REGTEST } from '../../../support/openTestChain.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface Line {
  readonly direction: string
  readonly scenario: string
  readonly code: number
  readonly name: string
  readonly payload: string
}

const lines = readVectorLines<Line>('p2p/p2p-snap.jsonl').filter(
  ({ name, direction }) => direction !== undefined && /^SNAP_/.test(name),
)
const messages = lines.map((line) => ({
  line,
  message: decodePeerMessage(line.code, Buffer.from(line.payload, 'hex')),
}))

type MessageOf<T extends PeerMessage['type']> = Extract<PeerMessage, { type: T }>

function ofType<T extends PeerMessage['type']>(type: T): MessageOf<T>[] {
  return messages.flatMap(({ message }) => (message.type === type ? [message as MessageOf<T>] : []))
}

/** Best block of the server that was recorded. */
const BEST = 5060

/** The blocks that the recorded server sent, as a reader has them. */
function recordedReader(): ChainStoreReader {
  const byHash = new Map<string, { block: Block; total: bigint }>()
  const byNumber = new Map<number, Block>()
  for (const { blocks, totalDifficulties } of [
    ...ofType('snapStatusResponse'),
    ...ofType('snapBlocksResponse'),
  ]) {
    blocks.forEach((encoded, index) => {
      const block = parseBlockUnchecked(REGTEST, encoded)
      byHash.set(block.hashHex, { block, total: totalDifficulties[index] ?? 0n })
      byNumber.set(block.number, block)
    })
  }
  const find = (hash: Buffer) => byHash.get(hash.toString('hex'))
  const reader: Partial<ChainStoreReader> = {
    head: () => ({ number: BEST }) as Block['header'],
    hashByNumber: (number) => byNumber.get(number)?.hash ?? null,
    heightOf: (hash) => find(hash)?.block.number ?? null,
    encodedHeader: ({ hash }) => find(hash)?.block.header.encodedFull ?? null,
    storedBody: ({ hash }) => find(hash)?.block.encodedBody ?? null,
    headerOf: ({ hash }) => find(hash)?.block.header ?? null,
    blockOf: ({ hash }) => find(hash)?.block ?? null,
    totalDifficulty: (hash) => find(hash)?.total ?? null,
    hasEditedState: () => false,
  }
  return reader as ChainStoreReader
}

const chunks = lines.flatMap((line, index) => {
  const message = messages[index]?.message
  const isAnswer = line.scenario === 'direct' && message?.type === 'snapStateChunkResponse'
  return isAnswer ? [message] : []
})

function recordedRoot(): Buffer {
  const last = ofType('snapStatusResponse')[0]?.blocks.at(-1)
  if (last === undefined) throw new Error('no status')
  return parseBlockUnchecked(REGTEST, last).header.fields.stateRoot
}

/** The recorded state, taken chunk by chunk. */
async function recordedState(): Promise<StateStore> {
  const store = StateStore.inMemory()
  const intake = new ChunkIntake(store, recordedRoot(), null)
  for (const { chunk, complete, from } of chunks) {
    if (intake.next !== from) throw new Error('another order')
    const report = await intake.take(chunk)
    if (report.refused !== null || report.complete !== complete)
      throw new Error(report.refused ?? 'another end')
  }
  return store
}

t.test('answers are those of the recorded server, to the byte', async (t) => {
  const store = await recordedState()
  const { source: states, chunkSpan } = storedStates(store)
  const answers = new SnapAnswers({ chain: { spec: REGTEST, reader: recordedReader() }, states, chunkSpan })
  let compared = 0
  for (const { line, message } of messages) {
    if (!line.name.endsWith('_REQUEST') || line.direction !== 'peer>rskj') continue
    const { id } = message as SnapRequest
    const recorded = messages.find(
      (other) =>
        other.line.direction === 'rskj>peer' &&
        other.line.name.endsWith('_RESPONSE') &&
        other.line.scenario === line.scenario &&
        'id' in other.message &&
        other.message.id === id,
    )
    // Very long answers are kept once, and not every block of the recorded chain is in an answer.
    if (recorded === undefined) continue
    const ours = await answers.answer(message as SnapRequest)
    t.equal(
      ours && encodePeerMessage(ours).payload.toString('hex'),
      recorded.line.payload,
      `${line.scenario} ${id}`,
    )
    compared += 1
  }
  t.ok(compared >= 15, `${compared} answers`)
  const ask = (request: object) => answers.answer({ id: 1n, ...request } as SnapRequest)
  t.equal(await ask({ type: 'snapBlocksRequest', blockNumber: 1 }), null, 'below the lowest')
  t.equal(await ask({ type: 'snapBlocksRequest', blockNumber: BEST + 1 }), null, 'above the best')
  const chunk = { type: 'snapStateChunkRequest', blockNumber: 1160, chunkSize: 50 }
  t.equal(await ask({ ...chunk, from: 206_027 }), null, 'behind the end')
  t.equal(await ask({ ...chunk, from: -1 }), null)
  t.equal(await ask({ ...chunk, from: 0, blockNumber: 4000 }), null, 'a block that is not there')
})

t.test('a server that lacks the state of the checkpoint says nothing', async (t) => {
  const answers = new SnapAnswers({
    chain: { spec: REGTEST, reader: recordedReader() },
    states: { size: () => null, chunk: async () => null },
    chunkSpan: STATE_CHUNK_SPAN,
  })
  t.equal(await answers.answer({ type: 'snapStatusRequest', id: 1n }), null)
})

t.test('recorded chunks verify, altered ones and those of other places do not', async (t) => {
  const root = recordedRoot()
  for (const { chunk, from, complete } of chunks) {
    const report = await checkStateChunk(chunk, root, from)
    t.match(report, { refused: null, complete, next: from + STATE_CHUNK_SPAN })
    const altered = Buffer.from(chunk)
    const middle = altered.length >> 1
    altered[middle] = (altered[middle] ?? 0) ^ 1
    t.type((await checkStateChunk(altered, root, from)).refused, 'string')
    t.type((await checkStateChunk(chunk, root, from + STATE_CHUNK_SPAN)).refused, 'string')
    t.type((await checkStateChunk(chunk, Buffer.alloc(32, 1), from)).refused, 'string')
  }
  t.equal(chunks.length, 5)
})

t.test('an intake goes on with what it saved, and refuses what is not the next chunk', async (t) => {
  const store = StateStore.inMemory()
  const root = recordedRoot()
  let saved: Buffer | null = null
  for (const { chunk } of chunks) {
    const intake: ChunkIntake = new ChunkIntake(store, root, saved)
    const refused = await intake.take(
      chunks.find((other) => other.from !== intake.next)?.chunk ?? Buffer.alloc(0),
    )
    t.type(refused.refused, 'string')
    t.equal((await intake.take(chunk)).refused, null)
    saved = await intake.save()
  }
  t.ok(store.hasRoot(root))
  t.equal(stateSize(store, root), 206_026)
  t.throws(() => new ChunkIntake(store, Buffer.alloc(32, 1), saved), { code: 'InvalidArgument' })
})
