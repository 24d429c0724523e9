import { setTimeout as sleep } from 'node:timers/promises'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { PeerMessage, PeerRequest } from '../../../src/p2p/messages/rskMessage.ts'
import { FakePeer, type Misbehaviour } from '../../support/fakePeer.ts'
import { openPeerNode } from '../../support/peerNode.ts'
import { WEIGHTY } from '../../support/syncScene.ts'
import { toBlock } from '../long/chains.ts'
import { type AttackScene, forever } from './attackScene.ts'

/** More work than any chain here has. */
const CLAIM = 1n << 40n
const LOOK_MS = 50
const STATUS_MS = 2000
/** Looks after which a connection that does not come about is given up. */
const LOOKS = 200
const PAUSE_MS = 200
const BLOCKS: ReadonlySet<string> = new Set([
  'bodyRequest',
  'blockRequest',
  'blockRangeRequest',
  'snapBlocksRequest',
  'getBlock',
])

/** Which chain a liar tells of, and what it does instead of answering. */
interface Liar {
  readonly chain: () => readonly Block[]
  readonly misbehave?: Misbehaviour
}

let honest: readonly Block[] = []

function honestChain({ chains, length }: AttackScene): readonly Block[] {
  if (honest.length === 0) honest = chains.honest.map(toBlock)
  return honest.slice(0, length)
}

function withEnd(scene: AttackScene, ends: readonly (Uint8Array | null)[]): readonly Block[] {
  const end = ends[scene.length - 1]
  return end == null ? honestChain(scene) : [...honestChain(scene), toBlock(end)]
}

/** A proof of work that was not done, on top of whatever the honest head is. */
export const wrongProofOfWork = (scene: AttackScene): void =>
  lie(scene, { chain: () => withEnd(scene, scene.chains.wrongWork) })

/** A block that is right but for its state root, on top of whatever the honest head is. */
export const wrongStateRoot = (scene: AttackScene): void =>
  lie(scene, { chain: () => withEnd(scene, scene.chains.wrongRoot) })

/** Headers of a branch that is heavier, and never a block, not even one that others have. */
export function withheldBodies(scene: AttackScene): void {
  const hollow = scene.chains.hollow.map(toBlock)
  const chain = [...honestChain(scene).slice(0, scene.chains.known), ...hollow]
  lie(scene, {
    chain: () => chain,
    misbehave: ({ type }) => {
      if (!BLOCKS.has(type)) return undefined
      scene.count('blocks asked')
      return 'silent'
    },
  })
}

/** Headers that are others than those that the skeleton named. */
export function wrongSkeletonHeaders(scene: AttackScene): void {
  const chain = [...honestChain(scene).slice(0, scene.chains.known), ...scene.chains.hollow.map(toBlock)]
  lie(scene, {
    chain: () => chain,
    misbehave: (question) => {
      if (question.type !== 'blockHeadersRequest' || question.count === 1) return undefined
      scene.count('headers asked')
      const others = chain.slice(1, 1 + question.count)
      return { type: 'blockHeadersResponse', headers: others.map(({ header }) => header.encodedCompressed) }
    },
  })
}

/** A fork from the first block on, right in all, whose difficulty falls. */
export function cheapFork(scene: AttackScene): void {
  const cheap = scene.chains.cheap.map(toBlock)
  const chain = [...honestChain(scene).slice(0, 2), ...cheap]
  lie(scene, {
    chain: () => chain,
    misbehave: ({ type }) => {
      if (BLOCKS.has(type)) scene.count(scene.isGrowing ? 'blocks asked at the head' : 'blocks asked')
      if (type === 'blockHeadersRequest') scene.count('headers asked')
      return undefined
    },
  })
}

/** Somebody new, from another address, as soon as the one before was sent away. */
function lie(scene: AttackScene, liar: Liar): void {
  forever(PAUSE_MS, () => lieOnce(scene, liar))
}

async function lieOnce(scene: AttackScene, { chain, misbehave }: Liar): Promise<void> {
  const options = misbehave === undefined ? { claims: CLAIM } : { claims: CLAIM, misbehave }
  const mind = new FakePeer(chain(), options)
  const genesis = chain()[0] as Block
  const told = () => ({
    bestNumber: mind.status?.bestNumber ?? 0,
    bestHash: mind.status?.bestHash ?? genesis.hash,
    bestParentHash: mind.status?.bestParentHash ?? genesis.hash,
    totalDifficulty: CLAIM,
  })
  const node = await openPeerNode({
    address: scene.nextAddress(),
    listens: false,
    statics: [scene.victim],
    backOff: { first: LOOK_MS, most: LOOK_MS },
    chain: { networkId: WEIGHTY.p2p.networkId, genesisHash: genesis.hash, status: told },
  })
  node.answer = (from, message) => {
    if (!isQuestion(message)) return
    scene.count('questions')
    void mind
      .request(message, 0)
      .then((reply) => from.send({ ...reply, id: message.id } as PeerMessage))
      .catch(() => undefined)
  }
  const tellers = setInterval(() => {
    const tip = chain().at(-1) as Block
    if (mind.status?.bestHash.equals(tip.hash) === false) mind.follow(chain())
    for (const peer of node.network.peers) peer.send({ type: 'status', status: told() })
  }, STATUS_MS)
  try {
    for (let look = 0; look < LOOKS && node.came.length === 0; look += 1) await sleep(LOOK_MS)
    if (node.came.length > 0) scene.count('connections')
    while (node.came.length > node.gone.length) await sleep(LOOK_MS)
    if (node.came.length > 0) scene.count('sent away')
  } finally {
    clearInterval(tellers)
    await node.network.close()
  }
}

function isQuestion(message: PeerMessage): message is PeerRequest {
  return message.type.endsWith('Request')
}
