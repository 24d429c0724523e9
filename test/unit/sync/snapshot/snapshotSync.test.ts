import t, { type Test } from 'tap'
import { checkChain } from '../../../../src/chain/check/checkChain.ts'
import { Block } from '../../../../src/chain/codec/block.ts'
import { createStateChecker } from '../../../../src/execution/stateChecker.ts'
import { STATE_CHUNK_SPAN, stateSize } from '../../../../src/native/stateChunks.ts'
import type { PeerRequest } from '../../../../src/p2p/messages/rskMessage.ts'
import { spoil } from '../../../support/blockMaker.ts'
import { FakePeer, type Misbehaviour } from '../../../support/fakePeer.ts'
import { SNAPSHOT_SPEC, SnapshotScene, SnapshotSource } from '../../../support/snapshotScene.ts'
import { until } from '../../../support/syncScene.ts'

const source = new SnapshotSource(t).grow(260)
const { checkpoint, tip } = source
const { chain: served, stateStore } = source.maker.open

/** The chain ends on the snapshot's block as the server has it, and goes on with the server's next blocks. */
function assertAdopted(t: Test, { open }: SnapshotScene): void {
  const { chain } = open
  t.equal(chain.head.hashHex, checkpoint.hashHex)
  t.equal(chain.reader.totalDifficulty(checkpoint.hash), served.reader.totalDifficulty(checkpoint.hash))
  const size = stateSize(stateStore, checkpoint.header.fields.stateRoot)
  t.equal(stateSize(open.stateStore, checkpoint.header.fields.stateRoot), size)
  const report = checkChain({
    spec: SNAPSHOT_SPEC,
    environment: open.environment,
    stateBlocks: 1,
    full: true,
    states: createStateChecker(SNAPSHOT_SPEC, open.stateStore),
  })
  t.same(report.problems, [])
  for (const block of source.blocks.slice(checkpoint.number + 1))
    t.equal(chain.connect(block).status, 'IMPORTED_BEST')
  t.equal(chain.head.hashHex, tip.hashHex)
}

t.test('a chain begins with the state of the checkpoint and goes on from there', async (t) => {
  const scene = new SnapshotScene(t)
  const peers = [scene.add(source.peer()), scene.add(source.peer())]
  t.equal(await scene.run(), 'adopted')
  for (const peer of peers) {
    t.ok(peer.count('snapStateChunkRequest') > 0)
    t.same(peer.scores, [])
  }
  t.ok(source.blocks.some(({ uncles }) => uncles.length > 0))
  assertAdopted(t, scene)
})

t.test('who sends a wrong chunk is scored, and its chunk comes from another', async (t) => {
  const scene = new SnapshotScene(t)
  const liar = scene.add(
    source.peer({
      misbehave: (question) => {
        if (question.type !== 'snapStateChunkRequest') return undefined
        const { blockNumber, from } = question
        return {
          type: 'snapStateChunkResponse',
          chunk: Buffer.from('c0', 'hex'),
          blockNumber,
          from,
          to: from + STATE_CHUNK_SPAN,
          complete: false,
        }
      },
    }),
  )
  scene.add(source.peer())
  t.equal(await scene.run(), 'adopted')
  t.ok(liar.scores.includes('invalidMessage'))
  assertAdopted(t, scene)
})

t.test('a chunk of another place of the same state is a lie', async (t) => {
  const scene = new SnapshotScene(t)
  const liar = source.peer()
  const honest = liar.misbehave
  liar.misbehave = (question) =>
    honest(
      question.type === 'snapStateChunkRequest' && question.from > 0 ? { ...question, from: 0 } : question,
    )
  scene.add(liar)
  scene.add(source.peer())
  t.equal(await scene.run(), 'adopted')
  t.ok(liar.scores.includes('invalidMessage'))
})

t.test('a peer that falls silent is replaced', async (t) => {
  const scene = new SnapshotScene(t)
  let answered = 0
  const silent = scene.add(
    source.peer({
      misbehave: ({ type }) => {
        if (type !== 'snapStateChunkRequest') return undefined
        answered += 1
        return answered > 2 ? 'silent' : undefined
      },
    }),
  )
  scene.add(source.peer())
  t.equal(await scene.run(), 'adopted')
  t.notOk(silent.scores.includes('invalidMessage'))
  assertAdopted(t, scene)
})

t.test('blocks with the body of others are refused, and come from another peer', async (t) => {
  const scene = new SnapshotScene(t)
  const liar = scene.add(
    source.peer({
      misbehave: (question) => {
        if (question.type !== 'snapBlocksRequest') return undefined
        const blocks = source.blocks.slice(1, question.blockNumber)
        const spoiled = blocks.map(({ header, transactions }) => new Block(header, transactions.slice(1), []))
        const encoded = spoiled.map((block) => block.encoded)
        return { type: 'snapBlocksResponse', blocks: encoded, totalDifficulties: encoded.map(() => 1n) }
      },
    }),
  )
  const running = scene.run()
  await until(() => liar.isGone)
  scene.add(source.peer())
  t.equal(await running, 'adopted')
  t.ok(liar.scores.includes('invalidMessage'))
  assertAdopted(t, scene)
})

t.test('total difficulty is computed: what peers say of it and of the size is not believed', async (t) => {
  const scene = new SnapshotScene(t)
  scene.add(
    source.peer({
      claims: 1n << 100n,
      misbehave: (async (question: PeerRequest) => {
        if (question.type !== 'snapStatusRequest') return undefined
        const answer = await source.answer(question)
        if (answer === 'silent' || answer.type !== 'snapStatusResponse') return answer
        const totalDifficulties = answer.totalDifficulties.map((difficulty) => difficulty * 3n)
        return { ...answer, totalDifficulties, trieSize: STATE_CHUNK_SPAN }
      }) as Misbehaviour,
    }),
  )
  t.equal(await scene.run(), 'adopted')
  assertAdopted(t, scene)
})

t.test('of two chains that peers offer the one with more work is taken, whatever is claimed', async (t) => {
  const light = new SnapshotSource(t).grow(260, { interval: 40, label: 'light' })
  const scene = new SnapshotScene(t)
  const liar = scene.add(light.peer({ claims: 1n << 100n }))
  scene.add(source.peer())
  const checked = light.checkpoint
  t.ok((light.maker.open.chain.reader.totalDifficulty(checked.hash) ?? 0n) > 0n)
  t.ok(
    (light.maker.open.chain.reader.totalDifficulty(checked.hash) ?? 0n) <
      (served.reader.totalDifficulty(checkpoint.hash) ?? 0n),
  )
  t.equal(await scene.run(), 'adopted')
  t.ok(liar.isGone)
  assertAdopted(t, scene)
})

t.test('a longer chain with less work is left for a shorter one that claims more', async (t) => {
  // Late blocks are easy ones.
  const spec = {
    ...SNAPSHOT_SPEC,
    difficulty: { ...SNAPSHOT_SPEC.difficulty, divisor: 50n, divisorRskip156: 50n, blockTimeSeconds: 10 },
  }
  const honest = new SnapshotSource(t, spec).grow(260)
  const light = new SnapshotSource(t, spec).grow(420, { interval: 60, label: 'light' })
  const worked = ({ maker }: SnapshotSource, { hash }: Block) =>
    maker.open.chain.reader.totalDifficulty(hash) ?? 0n
  t.ok(light.checkpoint.number > honest.tip.number)
  t.ok(worked(light, light.tip) < worked(honest, honest.checkpoint))
  const scene = new SnapshotScene(t, { spec })
  const liar = scene.add(light.peer({ claims: 1n << 100n }))
  scene.add(honest.peer())
  t.equal(await scene.run(), 'adopted')
  t.ok(liar.isGone)
  t.equal(scene.open.chain.head.hashHex, honest.checkpoint.hashHex)
})

t.test('who offers the state of an old block makes nobody begin there', async (t) => {
  const old = source.blocks[5] as Block
  const scene = new SnapshotScene(t)
  scene.add(
    source.peer({
      claims: 1n << 100n,
      misbehave: ({ type }) =>
        type === 'snapStatusRequest'
          ? { type: 'snapStatusResponse', blocks: [old.encoded], totalDifficulties: [1n], trieSize: 100_000 }
          : undefined,
    }),
  )
  scene.add(source.peer())
  t.equal(await scene.run(), 'adopted')
  assertAdopted(t, scene)
})

t.test('headers without work prove nothing', async (t) => {
  const scene = new SnapshotScene(t)
  const forged = source.blocks.map((block, index) => (index < 50 ? block : null))
  const lie = forged.filter((block) => block !== null)
  for (let number = 50; number <= 260; number += 1) {
    const template = source.blocks[number] as Block
    const parent = lie.at(-1) as Block
    lie.push(spoil(template, { parentHash: parent.hash, extraData: Buffer.from('lie') }))
  }
  const liar = new FakePeer(lie, { snap: true, claims: 1n << 100n })
  liar.misbehave = ((question) =>
    question.type === 'snapStatusRequest'
      ? {
          type: 'snapStatusResponse',
          blocks: [(lie[source.checkpoint.number] as Block).encoded],
          totalDifficulties: [1n],
          trieSize: 100_000,
        }
      : undefined) as Misbehaviour
  scene.add(liar)
  scene.add(source.peer())
  t.equal(await scene.run(), 'adopted')
  t.ok(liar.scores.includes('invalidHeader'))
  assertAdopted(t, scene)
})

t.test('a checkpoint of the configuration that the headers contradict is not passed', async (t) => {
  const other = { number: 20, hash: Buffer.alloc(32, 1) }
  const scene = new SnapshotScene(t, { checkpoints: [other] })
  const peer = scene.add(source.peer())
  const running = scene.run()
  await until(() => peer.isGone)
  t.ok(peer.scores.includes('invalidHeader'))
  scene.sync.stop()
  t.equal(await running, 'stopped')
  t.equal(scene.chain.tip.number, 0)
})

t.test('a chain of peers that is short is synchronised from genesis', async (t) => {
  const scene = new SnapshotScene(t, { limits: { distance: 1000 } })
  scene.add(source.peer())
  t.equal(await scene.run(), 'full')
})

t.test('before RSKIP126 no header names the state: nothing is begun with', async (t) => {
  const scene = new SnapshotScene(t, {
    spec: { ...SNAPSHOT_SPEC, activationHeights: { ...SNAPSHOT_SPEC.activationHeights, rskip126: 10_000 } },
  })
  scene.add(source.peer())
  const running = scene.run()
  await until(() => scene.sync.stats.snapshot?.reason?.includes('RSKIP126') === true)
  scene.sync.stop()
  t.equal(await running, 'stopped')
})

t.test('the body of a block whose header names uncles has to have them', async (t) => {
  const scene = new SnapshotScene(t)
  const liar = scene.add(
    source.peer({
      misbehave: ({ type }) =>
        type === 'bodyRequest'
          ? { type: 'bodyResponse', transactions: [], uncles: [], extension: null }
          : undefined,
    }),
  )
  const running = scene.run()
  await until(() => liar.isGone)
  t.ok(liar.scores.includes('invalidMessage'))
  scene.add(source.peer())
  t.equal(await running, 'adopted')
  assertAdopted(t, scene)
})

t.test('what this node fails of is said once and kept until it goes on', async (t) => {
  const scene = new SnapshotScene(t)
  const takeChunk = scene.store.takeChunk.bind(scene.store)
  let failures = 0
  scene.store.takeChunk = async (chunk) => {
    if (failures === 2) return takeChunk(chunk)
    failures += 1
    t.equal(scene.halts.length, failures - 1 > 0 ? 1 : 0)
    throw new Error('no space left')
  }
  const peer = scene.add(source.peer())
  const running = scene.run()
  await until(() => scene.halts.length > 0)
  t.match(scene.halts, [{ cause: 'snapshotError', reason: 'no space left' }])
  t.equal(scene.sync.stats.snapshot?.reason, 'no space left')
  t.equal(await running, 'adopted')
  t.same(
    scene.halts.map((halt) => halt?.cause ?? null),
    ['snapshotError', null],
  )
  t.same(peer.scores, [])
  assertAdopted(t, scene)
})
