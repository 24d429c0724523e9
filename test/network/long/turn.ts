import { setTimeout as sleep } from 'node:timers/promises'
import { processorSeconds } from '../../../bench/rpc/processStats.ts'
import { toHex } from '../../../src/util/bytes.ts'
import type { AttackCase, Observation } from './attacks.ts'
import { toBlock } from './chains.ts'
import type { ProductNode } from './productNode.ts'
import type { Attackers, Scene } from './scene.ts'
import { Watch } from './watch.ts'

/** What a turn is to be. */
export interface TurnOptions {
  /** None: a quiet turn. */
  readonly attacks: readonly AttackCase[]
  /** From the start of the node on; a quiet turn is over once the node has followed for a little. */
  readonly seconds: number
  /** Program of the node, where it is not the usual one. */
  readonly program?: string
  /** Whether the turn may end as soon as something is wrong. */
  readonly endsEarly?: boolean
}

/** What a turn came to. */
export interface Turn {
  /** Blocks a second from the start of the node until it had the chain. */
  readonly speed: number
  /** The same for each second of processor time that the node took, which others on the machine do not change. */
  readonly perSecond: number
  /** Bytes of its own: most, and at the end once settled, both while the attack went on. */
  readonly peak: number
  readonly settled: number
  /** Most milliseconds that a new block of the honest chain took. */
  readonly lag: number
  readonly followed: number
  /** Milliseconds from the start of the node on. */
  readonly attacked: number
  readonly seen: Observation
  /** What `rhizome check` says of its store; null where it is clean. */
  readonly check: string | null
  /** What was wrong with the node, whatever the attackers were to come to. */
  readonly faults: readonly string[]
}

const LOOK_MS = 50
/** Longest time for the chain, and for one block more, milliseconds. */
const MAX_SYNC = 180_000
const MAX_LAG = 20_000
const BLOCK_MS = 2000
const QUIET_BLOCKS = 3

/** Both nodes of a turn and who is after one of them. */
interface Running {
  readonly scene: Scene
  readonly options: TurnOptions
  readonly source: ProductNode
  readonly victim: ProductNode
  readonly attackers: Attackers | null
  readonly watch: Watch
  readonly faults: string[]
}

/** Starts both nodes, has one follow the other, under attack or not, and looks. */
export async function runTurn(scene: Scene, options: TurnOptions): Promise<Turn> {
  const { attacks } = options
  const source = await scene.startSource()
  const attackers = attacks.length === 0 ? null : scene.startAttackers(attacks.map(({ name }) => name))
  try {
    // They know their chains by then, and knock until somebody opens.
    await attackers?.begun()
    const began = performance.now()
    const victim = await scene.startVictim(options.program)
    const watch = new Watch(victim, attackers)
    try {
      return await followed({ scene, options, source, victim, attackers, watch, faults: [] }, began)
    } finally {
      watch.stop()
      await victim.stop('SIGKILL')
    }
  } finally {
    attackers?.stop()
    await source.stop('SIGKILL')
  }
}

async function followed(running: Running, began: number): Promise<Turn> {
  const { scene, options, source, victim, attackers, watch, faults } = running
  const up = performance.now()
  const reached = await waitFor(running, scene.chains.known - 1, MAX_SYNC)
  if (!reached && faults.length === 0)
    faults.push(`the chain was not there after ${MAX_SYNC / 1000} s: ${await where(victim)}`)
  const seconds = processorSeconds(victim.pid)
  const perSecond = reached ? (scene.chains.known - 1) / seconds : 0
  const speed = reached ? (scene.chains.known - 1) / ((performance.now() - up) / 1000) : 0
  let lag = 0
  let length = scene.chains.known
  const isOver = () => {
    if (!victim.isAlive || length === scene.chains.honest.length) return true
    if (options.endsEarly && faults.length > 0) return true
    if (attackers === null) return length - scene.chains.known >= QUIET_BLOCKS
    return performance.now() - began >= options.seconds * 1000
  }
  while (reached && !isOver()) {
    const sent = performance.now()
    await source.request('evm_importRawBlock', [
      toHex(Buffer.from(scene.chains.honest[length] as Uint8Array)),
    ])
    length += 1
    attackers?.grown(length)
    if (!(await waitFor(running, length - 1, MAX_LAG)) && faults.length === 0) {
      faults.push(`block ${length - 1} was not there after ${MAX_LAG / 1000} s: ${await where(victim)}`)
    }
    lag = Math.max(lag, performance.now() - sent)
    await sleep(Math.max(0, BLOCK_MS - (performance.now() - sent)))
  }
  const settled = await victim.settledMemory()
  if (!victim.isAlive) faults.push(`the node ended: ${victim.output.slice(-500)}`)
  else {
    const { number, hash } = await victim.head()
    if (!isHonest(scene, number, hash))
      faults.push(`its head is block ${number} ${hash}, which is not honest`)
  }
  faults.push(...(await unfair(running)))
  return {
    speed,
    perSecond,
    peak: watch.peak,
    settled,
    lag,
    followed: length - scene.chains.known,
    attacked: performance.now() - began,
    seen: await watch.observation(scene),
    check: await checked(victim),
    faults,
  }
}

/** The store after an ordinary end. */
async function checked(victim: ProductNode): Promise<string | null> {
  await victim.stop()
  return victim.check()
}

/** Whether the node has the honest block of a height in time; ends at once when its head is one that breaks a rule. */
async function waitFor({ scene, victim, faults }: Running, height: number, time: number): Promise<boolean> {
  const until = performance.now() + time
  while (performance.now() < until && victim.isAlive) {
    const { number, hash } = await victim.head().catch(() => ({ number: -1, hash: '' }))
    if (number === height && isHonest(scene, number, hash)) return true
    if (isWrong(scene, number, hash)) {
      faults.push(`its head was block ${number} ${hash}, which breaks a rule`)
      return false
    }
    await sleep(LOOK_MS)
  }
  return false
}

function isHonest({ chains }: Scene, number: number, hash: string): boolean {
  const honest = chains.honest[number]
  return honest !== undefined && toHex(toBlock(honest).hash) === hash
}

/** Whether it is a block that no node may take. */
function isWrong({ chains }: Scene, number: number, hash: string): boolean {
  const below = number - 1
  return [chains.wrongWork[below], chains.wrongRoot[below]].some(
    (wrong) => wrong != null && toHex(toBlock(wrong).hash) === hash,
  )
}

async function where(victim: ProductNode): Promise<string> {
  const { number, hash } = await victim.head().catch(() => ({ number: -1, hash: 'no answer' }))
  const sync = victim.report()?.sync
  return `its head is ${number} ${hash}, stage ${sync?.stage}, highest ${sync?.highestBlock}`
}

/** What was done to the honest node, and whether synchronisation stopped. */
async function unfair({ scene, victim }: Running): Promise<string[]> {
  if (!victim.isAlive) return []
  const faults: string[] = []
  const { id, address } = scene.source
  const scores = await victim.scores()
  const honest = scores.filter((score) => score.id === address || id.startsWith(score.id))
  if (honest.some(({ punishments }) => punishments > 0)) faults.push('the honest node was punished')
  const report = victim.report()
  if (report?.halted) faults.push(`synchronisation stopped at block ${report.halted.number}`)
  if (report?.network.peers.every((peer) => peer.id !== id))
    faults.push('the honest node is no peer any more')
  return faults
}
