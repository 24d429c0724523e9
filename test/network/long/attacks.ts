import type { RefusalCounts } from '../../../src/p2p/peers/peerStats.ts'
import type { Change } from '../../support/testBuild.ts'
import type { Score } from './productNode.ts'

/** What was seen of a node under attack. */
export interface Observation {
  /** Of the attackers. */
  readonly stats: Readonly<Record<string, number>>
  /** Connections refused by the node, by reason, and most at once whose handshake was not over. */
  readonly refused: RefusalCounts
  readonly mostHalfOpen: number
  /** Most peers at once that came from one block of addresses. */
  readonly mostOfGroup: number
  /** Messages of peers that were dropped because they were too many, and memory that was refused to peers. */
  readonly excess: number
  readonly memoryRefused: number
  /** Of everybody but the honest node. */
  readonly scores: readonly Score[]
  /** Most bytes of its own beside what it takes without an attack. */
  readonly peakGrowth: number
}

/** A way to attack a node, what has to become of the attackers, and what stands against them. */
export interface AttackCase {
  readonly name: string
  /** Attackers at a time, each of which may take 32 MiB. */
  readonly attackers: number
  /** What p2p.md §7 and §8 have become of them; texts of what did not. */
  readonly judge: (seen: Observation) => readonly string[]
  readonly defence: string
  /** Without the defence. */
  readonly off: readonly Change[]
}

const MIB = 1024 * 1024
const MAX_MIB = 256
const MAX_OF_GROUP = 16
const HALF_OPEN = 64

const figure = (seen: Observation, name: string) => seen.stats[name] ?? 0
const counted = (seen: Observation, ...counters: readonly string[]) =>
  seen.scores.reduce(
    (sum, score) => sum + counters.reduce((all, name) => all + Number(score[name] ?? 0), 0),
    0,
  )
const unless = (holds: boolean, text: string): readonly string[] => (holds ? [] : [text])

/** Those that lied are punished, node and address. */
function punished(seen: Observation, ...counters: readonly string[]): readonly string[] {
  const count = (type: Score['type']) =>
    seen.scores.filter((score) => score.type === type && score.punishments > 0).length
  return [
    ...unless(counted(seen, ...counters) > 0, `none of ${counters.join(', ')} was noted`),
    ...unless(count('node') > 0 && count('address') > 0, 'nobody was punished'),
    ...unless(figure(seen, 'sent away') > 0, 'nobody was sent away'),
  ]
}

const NO_RATE: readonly Change[] = [
  { file: 'p2p/peers/inboundRate.ts', find: 'return this.#count <= this.#limit', replace: 'return true' },
  {
    file: 'p2p/peers/inboundRate.ts',
    find: 'return Math.floor(this.#scheduler.now() / MINUTE_MS) === this.#minute && this.#count >= this.#limit',
    replace: 'return false',
  },
]

const NO_CONNECT_RATE: Change = {
  file: 'p2p/peers/connectRate.ts',
  find: 'return own <= MAX_OF_ADDRESS && group <= MAX_OF_GROUP',
  replace: 'return true || own <= MAX_OF_ADDRESS && group <= MAX_OF_GROUP',
}

/** All attacks. */
export const ATTACK_CASES: readonly AttackCase[] = [
  {
    name: 'wrongProofOfWork',
    attackers: 1,
    judge: (seen) => punished(seen, 'invalidHeader', 'invalidBlocks'),
    defence: 'the rule of the proof of work',
    off: [
      {
        file: 'chain/validation/proofOfWork.ts',
        find: "return fault === null ? null : { expected: 'a proof of merged mining', found: fault }",
        replace: 'return null',
      },
    ],
  },
  {
    name: 'wrongStateRoot',
    attackers: 1,
    judge: (seen) => punished(seen, 'invalidBlocks'),
    defence: 'the comparison of the state root with the state',
    off: [
      {
        file: 'execution/nativeBlockExecutor.ts',
        find: "['stateRoot', checkStateRoot ? fields.stateRoot : null",
        replace: "['stateRoot', checkStateRoot && false ? fields.stateRoot : null",
      },
    ],
  },
  {
    name: 'withheldBodies',
    attackers: 1,
    judge: (seen) => [
      ...unless(figure(seen, 'blocks asked') > 0, 'nobody asked the attacker for blocks'),
      ...unless(counted(seen, 'timeoutMessages') > 0, 'no silence was noted'),
    ],
    defence: 'times after which others are asked and a branch is given up',
    off: [
      { file: 'sync/client/limits.ts', find: 'bodyTimeout: 15_000', replace: 'bodyTimeout: 1e9' },
      { file: 'sync/client/limits.ts', find: 'secondTry: 4_000', replace: 'secondTry: 1e9' },
      { file: 'sync/client/limits.ts', find: 'patience: 60_000', replace: 'patience: 1e9' },
    ],
  },
  {
    name: 'wrongSkeletonHeaders',
    attackers: 1,
    judge: (seen) => punished(seen, 'invalidMessages', 'invalidHeader'),
    defence: 'headers have the hashes that were asked for',
    off: [
      {
        file: 'sync/client/headerChunk.ts',
        find: "if (!header.hash.equals(wanted)) return 'server'",
        replace: '',
      },
      {
        file: 'sync/client/headerChunk.ts',
        find: "if (header.number !== number) return 'skeleton'",
        replace: '',
      },
    ],
  },
  {
    name: 'cheapFork',
    attackers: 1,
    judge: (seen) => [
      ...unless(figure(seen, 'headers asked') > 0, 'nobody looked at the fork'),
      ...unless(figure(seen, 'blocks asked at the head') === 0, 'blocks of the lighter fork were fetched'),
    ],
    defence: 'blocks are fetched once their headers outweigh the head',
    off: [
      {
        file: 'sync/client/syncSession.ts',
        find: 'if (!this.#outweighs && this.#branch.weight > this.#deps.threshold()) {',
        replace: 'if (!this.#outweighs) {',
      },
    ],
  },
  {
    name: 'crowd',
    attackers: 8,
    judge: (seen) => [
      ...unless(seen.mostOfGroup <= MAX_OF_GROUP, `${seen.mostOfGroup} peers of one block of addresses`),
      ...unless(figure(seen, 'places') <= MAX_OF_GROUP, `${figure(seen, 'places')} of the crowd had a place`),
      ...unless(
        seen.refused.groupFull + seen.refused.full + seen.refused.tooOften + seen.refused.addressFull > 0,
        'nobody was refused',
      ),
    ],
    defence: 'places and handshakes of a block of addresses',
    off: [
      { file: 'p2p/peers/limits.ts', find: 'inboundPerGroup: 16', replace: 'inboundPerGroup: 1000' },
      { file: 'p2p/peers/limits.ts', find: 'inboundPerAddress: 4', replace: 'inboundPerAddress: 1000' },
      { file: 'p2p/peers/limits.ts', find: 'inbound: Math.floor(peers / 2)', replace: 'inbound: 1000' },
      {
        file: 'p2p/peers/limits.ts',
        find: '    peers,\n    inbound',
        replace: '    peers: 1000,\n    inbound',
      },
      NO_CONNECT_RATE,
    ],
  },
  {
    name: 'halfOpen',
    attackers: 8,
    judge: (seen) => [
      ...unless(seen.mostHalfOpen <= HALF_OPEN, `${seen.mostHalfOpen} handshakes were open`),
      ...unless(figure(seen, 'closed') > 0, 'none was closed'),
      ...unless(
        seen.refused.handshake + seen.refused.tooOften + seen.refused.halfOpen > 0,
        'none was refused',
      ),
    ],
    defence: 'handshakes that are open at a time, and for how long',
    off: [
      { file: 'p2p/peers/limits.ts', find: 'halfOpen: 64', replace: 'halfOpen: 100_000' },
      { file: 'p2p/peers/limits.ts', find: 'halfOpenPerGroup: 16', replace: 'halfOpenPerGroup: 100_000' },
      NO_CONNECT_RATE,
    ],
  },
  {
    name: 'garbage',
    attackers: 8,
    judge: (seen) => [
      ...unless(seen.refused.handshake > 0, 'no handshake failed'),
      ...unless(figure(seen, 'frames closed') > 0, 'nobody was closed for a frame'),
      ...unless(figure(seen, 'messages closed') > 0, 'nobody was closed for a message'),
      ...unless(seen.refused.tooOften > 0, 'addresses may begin as many handshakes as they want'),
    ],
    defence: 'handshakes of an address in a time',
    off: [NO_CONNECT_RATE],
  },
  {
    name: 'everyMessage',
    attackers: 6,
    judge: (seen) => unless(seen.excess > 0, 'no message was one too many'),
    defence: 'messages of a peer in a minute',
    off: NO_RATE,
  },
  {
    name: 'transactionFlood',
    attackers: 6,
    judge: (seen) => unless(seen.excess > 0, 'no message was one too many'),
    defence: 'messages of a peer in a minute',
    off: NO_RATE,
  },
  {
    name: 'memoryBombs',
    attackers: 8,
    judge: (seen) => [
      ...unless(figure(seen, 'closed') > 0, 'nobody was closed'),
      ...unless(
        seen.peakGrowth <= MAX_MIB * MIB,
        `${Math.round(seen.peakGrowth / MIB)} MiB at the peak, over ${MAX_MIB}`,
      ),
    ],
    defence: 'elements of lists are counted before they are read',
    off: [
      {
        file: 'p2p/messages/elements.ts',
        find: 'if (count > limit) throw',
        replace: 'if (count > 1e12) throw',
      },
      {
        file: 'chain/codec/rlpReader.ts',
        find: 'if (items.length >= limit) throw',
        replace: 'if (items.length >= limit + 1e12) throw',
      },
    ],
  },
]
