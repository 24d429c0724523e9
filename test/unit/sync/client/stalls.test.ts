import t, { type Test } from 'tap'
import { type Block, parseBlockUnchecked } from '../../../../src/chain/codec/block.ts'
import { type BodyMatch, BodyRules } from '../../../../src/sync/client/bodyMatch.ts'
import type { HeaderCheck, HeaderFault } from '../../../../src/sync/client/headerCheck.ts'
import type { SyncLimits } from '../../../../src/sync/client/limits.ts'
import { describeHalt } from '../../../../src/sync/halt/halt.ts'
import type { BlockOutcome } from '../../../../src/sync/syncChain.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import type { FakePeer } from '../../../support/fakePeer.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 40)]
/** Leaves the chain below block 25 and is longer. */
const other = [...chain.slice(0, 25), ...maker.extend(chain[24] as Block, 30, { label: 'other' })]

/** Lets everything through that a header could be refused for. */
const PERMISSIVE: HeaderCheck = { alone: async () => null, onParent: () => null }

/** Makes the chain of a scene fail at a block, as often as it says. */
function failAt(
  scene: SyncScene,
  block: Block,
  outcome: () => readonly BlockOutcome[] | null,
): { tries: number } {
  const counts = { tries: 0 }
  scene.chain.before = (blocks) => {
    const index = blocks.findIndex((encoded) => parseBlockUnchecked(WEIGHTY, encoded).hash.equals(block.hash))
    if (index !== 0) return null
    counts.tries += 1
    return outcome()
  }
  return counts
}

const UNDECIDED: readonly BlockOutcome[] = [
  { status: 'UNDECIDED', reason: 'block 25 cannot be judged: coinbase: expected 20 bytes, got 0' },
]

/** One block at a time, so that a block of a commit is its first. */
const ONE = { commitBlocks: 1 }

t.test(
  'a block that cannot be judged: the chain halts there, says so once, and tries it again',
  async (t) => {
    const scene = new SyncScene(t, WEIGHTY, { limits: ONE })
    let fails = true
    const counts = failAt(scene, chain[25] as Block, () => (fails ? UNDECIDED : null))
    const peer = scene.add(chain)
    await until(() => scene.client.halt !== null)
    const { cause, number, hash, reason } = scene.client.halt ?? {}
    t.same({ cause, number, hash }, { cause: 'undecidedBlock', number: 25, hash: chain[25]?.hash })
    t.match(reason, /coinbase: expected 20 bytes/)
    t.match(
      scene.client.halt && describeHalt(scene.client.halt),
      /block 25 .* cannot be judged here .*coinbase/,
    )
    t.equal(scene.chain.tip.number, 24)
    await until(() => counts.tries > 3)
    t.equal(scene.halts.length, 1, 'it is told of once')
    t.same(peer.scores, [], 'no peer is at fault')
    t.equal(peer.isGone, false)
    t.ok(peer.count('skeletonRequest') <= counts.tries + 1, 'the peer is asked for it once per attempt')
    fails = false
    await until(() => scene.isAt(last(chain)))
    t.same(
      scene.halts.map((halt) => halt?.cause ?? null),
      ['undecidedBlock', null],
    )
    await until(() => scene.client.stats.stage === 'following')
  },
)

t.test('pauses between attempts grow, and nothing is asked meanwhile', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, {
    limits: { ...ONE, stallRest: 60_000, longestStallRest: 60_000 },
  })
  const counts = failAt(scene, chain[25] as Block, () => UNDECIDED)
  const peer = scene.add(chain)
  await until(() => scene.client.halt !== null)
  await until(() => scene.client.stats.stage === 'halted')
  const asked = peer.asked.length
  const later = [scene.add(chain), scene.add(chain)]
  // Each newcomer is asked whether it has another chain, and none is asked for the block.
  await until(() => later.every(({ asked }) => asked.length > 0))
  await until(() => scene.client.stats.stage === 'halted')
  for (const newcomer of later) {
    await scene.client.onMessage(newcomer, { type: 'block', block: (chain[25] as Block).encoded })
    await scene.client.onMessage(newcomer, { type: 'block', block: (chain[26] as Block).encoded })
  }
  t.equal(counts.tries, 1)
  t.equal(peer.asked.length, asked)
  for (const newcomer of later) {
    t.equal(newcomer.count('bodyRequest'), 0)
    t.same(newcomer.scores, [])
  }
})

t.test('a branch without the block is followed although peers claim less for it', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, {
    limits: { ...ONE, stallRest: 60_000, longestStallRest: 60_000 },
  })
  failAt(scene, chain[25] as Block, () => UNDECIDED)
  scene.add(chain, { claims: 1n << 60n })
  await until(() => scene.client.halt !== null)
  scene.add(other)
  await until(() => scene.isAt(last(other)))
  t.equal(scene.client.halt, null, 'the other branch is heavier')
  t.equal(scene.halts.at(-1), null)
})

t.test('blocks that peers push halt the chain as those that it fetches', async (t) => {
  const ends: (() => readonly BlockOutcome[])[] = [
    () => UNDECIDED,
    () => [],
    () => {
      throw new Error('the chain thread has ended')
    },
  ]
  for (const end of ends) {
    const limits = { stallRest: 60_000, longestStallRest: 60_000 }
    const scene = new SyncScene(t, WEIGHTY, { limits }, chain.slice(0, 25))
    const peers = [scene.add(chain.slice(0, 25)), scene.add(chain.slice(0, 25))]
    await until(() => scene.client.stats.stage === 'following')
    const counts = failAt(scene, chain[25] as Block, end)
    for (const peer of peers)
      await scene.client.onMessage(peer, { type: 'block', block: (chain[25] as Block).encoded })
    t.match(scene.client.halt, { cause: 'undecidedBlock', number: 25 })
    t.equal(counts.tries, 1, 'the second push of it is not executed')
    for (const peer of peers) t.same(peer.scores, [])
    await until(() => scene.client.stats.stage === 'halted')
    const branch = [...chain.slice(0, 25), other[25] as Block, other[26] as Block]
    for (const block of branch.slice(-2))
      await scene.client.onMessage(peers[0] as FakePeer, { type: 'block', block: block.encoded })
    t.ok(scene.isAt(last(branch)))
    t.equal(scene.client.halt, null)
  }
})

t.test('a lighter block that cannot be judged is no halt', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, {}, chain.slice(0, 31))
  const peer = scene.add(chain.slice(0, 31))
  await until(() => scene.client.stats.stage === 'following')
  failAt(scene, other[25] as Block, () => UNDECIDED)
  await scene.client.onMessage(peer, { type: 'block', block: (other[25] as Block).encoded })
  t.equal(scene.client.halt, null)
  t.same(scene.halts, [])
})

t.test('whatever the chain says instead of a verdict', async (t) => {
  const ends: [string, () => readonly BlockOutcome[]][] = [
    ['missingState', () => [{ status: 'TOO_OLD' }]],
    ['internalError', () => [{ status: 'NO_PARENT' }]],
    ['undecidedBlock', () => []],
    [
      'undecidedBlock',
      () => {
        throw new Error('the chain thread has ended')
      },
    ],
  ]
  for (const [cause, end] of ends) {
    const scene = new SyncScene(t, WEIGHTY, { limits: ONE })
    failAt(scene, chain[25] as Block, end)
    const peer = scene.add(chain)
    await until(() => scene.client.halt !== null)
    t.match(scene.client.halt, { cause, number: 25, hash: chain[25]?.hash })
    t.same(peer.scores, [])
  }
})

t.test('blocks of the own chain that cannot be read', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, {}, chain.slice(0, 25))
  const { reader } = scene.chain
  const read = reader.headerByHash.bind(reader)
  reader.headerByHash = (hash) => (hash.equals((chain[24] as Block).hash) ? null : read(hash))
  const peer = scene.add(chain)
  await until(() => scene.client.halt !== null)
  t.match(scene.client.halt, { cause: 'internalError', number: 24, reason: /cannot be read/ })
  t.same(peer.scores, [])
})

/** Peers of as many blocks of addresses as asked for. */
function addPeers(scene: SyncScene, count: number, group: (at: number) => number, blocks: readonly Block[]) {
  return Array.from({ length: count }, (_, at) =>
    scene.add(blocks, { address: `10.${group(at)}.0.${at + 1}` }),
  )
}

/** Refuses the header of block 25 by itself. */
function refusingAlone(rule: HeaderFault['rule'], early: boolean): { check: HeaderCheck } {
  return {
    check: {
      ...PERMISSIVE,
      alone: async (headers) => {
        const header = headers.find(({ number }) => number === 25)
        return header === undefined ? null : { header, rule, expected: '1', found: '2', early }
      },
    },
  }
}

/** What this node refuses of a chain that peers have, in a way that peers could have made up. */
const DOUBTS: readonly [name: string, cause: string, options: { check: HeaderCheck }][] = [
  ['a header that breaks a rule by itself', 'refusedHeader', refusingAlone('proofOfWork', false)],
  [
    'a header that breaks a rule against its parent',
    'refusedHeader',
    {
      check: {
        ...PERMISSIVE,
        onParent: (header) =>
          header.number === 25
            ? { header, rule: 'difficulty', expected: '1', found: '2', early: false }
            : null,
      },
    },
  ],
  ['a header of the future', 'earlyHeader', refusingAlone('timestamp', true)],
  [
    'an error of this node',
    'internalError',
    {
      check: {
        ...PERMISSIVE,
        alone: () => Promise.reject(new Error('the core failed')),
      },
    },
  ],
]

for (const [name, cause, { check }] of DOUBTS) {
  t.test(`${name}: one peer may have made it up, three of different addresses have not`, async (t) => {
    const options = { check, limits: { ...ONE, failureRest: 10 } }
    const lone = new SyncScene(t, WEIGHTY, options)
    const [first] = addPeers(lone, 3, () => 1, chain)
    await until(() => (first?.isGone ?? true) || (first?.count('blockHeadersRequest') ?? 0) > 2)
    t.equal(lone.client.halt, null)

    const scene = new SyncScene(t, WEIGHTY, options)
    addPeers(scene, 3, (at) => at + 1, chain)
    await until(() => scene.client.halt !== null)
    t.match(scene.client.halt, { cause, insisting: 3 })
    t.type(describeHalt(scene.client.halt as NonNullable<typeof scene.client.halt>), 'string')
  })
}

t.test('headers that cannot be decoded', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  for (const at of [1, 2, 3]) {
    scene.add(chain, {
      address: `10.${at}.0.1`,
      misbehave: ({ type }) =>
        type === 'blockHeadersRequest'
          ? { type: 'blockHeadersResponse', headers: [Buffer.from('c0', 'hex')] }
          : undefined,
    })
  }
  await until(() => scene.client.halt !== null)
  t.match(scene.client.halt, { cause: 'refusedHeader', number: 40, hash: last(chain).hash, rule: null })
})

t.test('pushed blocks that cannot be decoded, and bodies that do not fit', async (t) => {
  const pushed = new SyncScene(t, WEIGHTY, {}, chain.slice(0, 25))
  const peers = addPeers(pushed, 3, (at) => at + 1, chain.slice(0, 25))
  for (const [at, peer] of peers.entries()) {
    t.equal(pushed.client.halt, null, `${at} peers`)
    await pushed.client.onMessage(peer, { type: 'block', block: Buffer.from('c3010203', 'hex') })
  }
  t.match(pushed.client.halt, { cause: 'refusedHeader', number: null, hash: null })

  const rules = new BodyRules(WEIGHTY)
  const match: BodyMatch = {
    fromBody: (header, body) => (header.number === 25 ? null : rules.fromBody(header, body)),
    isBlock: (header, block) => rules.isBlock(header, block),
  }
  const fetched = new SyncScene(t, WEIGHTY, { match })
  addPeers(fetched, 3, (at) => at + 1, chain)
  await until(() => fetched.client.halt !== null)
  t.match(fetched.client.halt, { cause: 'refusedHeader', number: 25, insisting: 3 })
})

t.test('a block that too few insist on halts the chain when it does not go on for long', async (t) => {
  let now = 0
  const limits: Partial<SyncLimits> = { ...ONE, failureRest: 0, failureMemory: 1e12 }
  const scene = new SyncScene(t, WEIGHTY, { limits, now: () => now })
  const refusal = { number: 25, hash: (chain[25] as Block).hash, rule: 'stateRoot' } as const
  failAt(scene, chain[25] as Block, () => [
    { status: 'INVALID_BLOCK', refusal: { ...refusal, expected: '0x01', found: '0x02' } },
  ])
  const first = scene.add(chain)
  await until(() => first.isGone)
  t.equal(scene.client.halt, null, 'one peer may be wrong')
  now += 700_000
  const second = scene.add(chain)
  if (second.status !== null) second.status = { ...second.status, receivedAt: now }
  await until(() => second.isGone)
  t.match(scene.client.halt, { cause: 'refusedBlock', number: 25, rule: 'stateRoot' })
  const heavier = scene.add(other)
  await until(() => scene.isAt(last(other)))
  t.same(heavier.scores, [])
  t.equal(scene.client.halt, null)
})

t.test('what peers said is forgotten once the chain goes on, and after a while', async (t) => {
  let now = 0
  const scene = new SyncScene(t, WEIGHTY, { now: () => now }, chain.slice(0, 25))
  const peers = addPeers(scene, 3, (at) => at + 1, chain.slice(0, 25))
  const [one, two, three] = peers as [FakePeer, FakePeer, FakePeer]
  const garbage = { type: 'block', block: Buffer.from('c3010203', 'hex') } as const
  await scene.client.onMessage(one, garbage)
  await scene.client.onMessage(two, garbage)
  const honest = scene.add(chain.slice(0, 25))
  await scene.client.onMessage(honest, { type: 'block', block: (chain[25] as Block).encoded })
  await scene.client.onMessage(three, garbage)
  t.equal(scene.client.halt, null, 'a new block came in between')
  now += 2_000_000
  for (const at of [4, 5])
    await scene.client.onMessage(scene.add(chain, { address: `10.${at}.0.1` }), garbage)
  t.equal(scene.client.halt, null, 'the third was too long ago')
})

t.test('an error of this node at the branch of one peer does not keep it from others', async (t: Test) => {
  const check: HeaderCheck = {
    ...PERMISSIVE,
    alone: (headers) =>
      headers.some(({ fields }) => fields.extraData.toString() === 'other')
        ? Promise.reject(new Error('the core failed'))
        : Promise.resolve(null),
  }
  const scene = new SyncScene(t, WEIGHTY, { check, limits: { failureRest: 600_000 } })
  scene.add(other, { claims: 1n << 60n })
  scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.equal(scene.client.halt, null)
})
