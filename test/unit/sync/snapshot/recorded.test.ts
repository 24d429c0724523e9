import t from 'tap'
import { type Block, parseBlock } from '../../../../src/chain/codec/block.ts'
import { readSnapshotSyncState } from '../../../../src/chain/tables/snapshotSyncState.ts'
import { stateSize } from '../../../../src/native/stateChunks.ts'
import { decodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { FakePeer, type Misbehaviour } from '../../../support/fakePeer.ts'
import { REGTEST } from '../../../support/openTestChain.ts'
import { SnapshotScene } from '../../../support/snapshotScene.ts'
import { until } from '../../../support/syncScene.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface Line {
  readonly direction: string
  readonly scenario: string
  readonly code: number
  readonly name: string
  readonly payload: string
}

/** What a real server of snapshots said. */
const answers = readVectorLines<Line>('p2p/p2p-snap.jsonl')
  .filter(({ name, direction }) => direction === 'rskj>peer' && /^SNAP_.*_RESPONSE/.test(name))
  .map(({ code, payload }) => decodePeerMessage(code, Buffer.from(payload, 'hex')))

function ofType<T extends PeerMessage['type']>(type: T): Extract<PeerMessage, { type: T }>[] {
  return answers.filter((answer) => answer.type === type) as Extract<PeerMessage, { type: T }>[]
}

const [status] = ofType('snapStatusResponse')
const chunks = ofType('snapStateChunkResponse')

/** All blocks that its answers hold, and the total difficulties that it named. */
const blocks = new Map<number, Block>()
const totals = new Map<number, bigint>()
for (const answer of [...ofType('snapStatusResponse'), ...ofType('snapBlocksResponse')]) {
  for (const [index, encoded] of answer.blocks.entries()) {
    const block = parseBlock(REGTEST, encoded)
    blocks.set(block.number, block)
    totals.set(block.number, answer.totalDifficulties[index] ?? 0n)
  }
}

/** Lowest block of the run of them that the answers hold below the checkpoint. */
const MIN_BLOCK = 360

t.test(
  'state and blocks of a recorded server are taken, with the total difficulties that it named',
  async (t) => {
    const checkpoint = parseBlock(REGTEST, status?.blocks.at(-1) ?? Buffer.alloc(0))
    const scene = new SnapshotScene(t, { spec: REGTEST, limits: { groupsAhead: 1 } })
    const { number, hash, header } = checkpoint
    // Not all of its headers are in the answers, so that their proof is another test's.
    const target = {
      number,
      hash,
      stateRoot: header.fields.stateRoot,
      totalDifficulty: totals.get(number) ?? 0n,
      size: status?.trieSize ?? 0,
    }
    await scene.store.setTarget(target)
    const peer = new FakePeer([scene.open.chain.reader.blockByNumber(0) as Block], { snap: true })
    if (peer.status !== null) peer.status = { ...peer.status, bestNumber: number + 3840 }
    const asked: number[] = []
    peer.misbehave = ((question) => {
      switch (question.type) {
        case 'blockHashRequest':
          return { type: 'blockHashResponse', hash }
        case 'snapStateChunkRequest':
          asked.push(question.from)
          return chunks.find(
            ({ from, blockNumber }) => from === question.from && blockNumber === question.blockNumber,
          )
        case 'snapBlocksRequest': {
          const found: Buffer[] = []
          for (let height = question.blockNumber - 1; found.length < 400; height -= 1) {
            const block = height < MIN_BLOCK ? undefined : blocks.get(height)
            if (block === undefined) break
            found.unshift(block.encoded)
          }
          return found.length === 0
            ? 'silent'
            : { type: 'snapBlocksResponse', blocks: found, totalDifficulties: found.map(() => 0n) }
        }
        default:
          return 'silent'
      }
    }) as Misbehaviour
    scene.add(peer)
    const running = scene.run()
    const { environment, stateStore } = scene.open
    await until(() => readSnapshotSyncState(environment).blocks?.number === MIN_BLOCK - 1)
    scene.sync.stop()
    t.equal(await running, 'stopped')
    t.notOk(peer.scores.includes('invalidMessage'))
    t.equal(stateSize(stateStore, target.stateRoot), status?.trieSize)
    t.same(
      asked,
      [...new Set(chunks.map(({ from }) => from))].toSorted((a, b) => a - b),
    )
    const lowest = blocks.get(MIN_BLOCK) as Block
    t.equal(
      readSnapshotSyncState(environment).blocks?.totalDifficulty,
      (totals.get(MIN_BLOCK) ?? 0n) - lowest.cumulativeDifficulty,
    )
  },
)
