import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openNodeKey } from '../../../src/p2p/identity/nodeKeyFile.ts'
import type { TestBuild } from '../../support/testBuild.ts'
import { TestNetwork } from '../testNetwork.ts'
import { Namespaces } from './namespaces.ts'
import { ProductNode } from './productNode.ts'

/** What a network that was split and healed came to. */
export interface SplitResult {
  readonly nodes: number
  readonly where: 'namespaces' | 'loopback'
  /** Heights of both sides when it healed, and of all at the end. */
  readonly left: number
  readonly right: number
  readonly end: number
  /** Seconds from the healing until all had one head, while both sides went on to make blocks, and once they rested. */
  readonly healed: number
  readonly settled: number
  readonly faults: readonly string[]
}

const PORT = 30_300
const LOOK_MS = 100
const MAX_MS = 120_000
const SPLIT_AT = 0.25
const HEAL_AT = 0.75
/** Accounts of the network's wallet, one for each side. */
const COW = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const COW1 = '0x7986b3df570230288501eea3d890bd66948c9b79'
const CONDITIONS = { delay: 40, jitter: 20, loss: 0.05, rate: 2_000_000 }

/**
 * Nodes with delay and loss, two of which make blocks; the network splits between these and heals, all end on one
 * head, and their stores are clean.
 */
export async function runSplit(build: TestBuild, count: number, seconds: number): Promise<SplitResult> {
  const spaces = Namespaces.create(count)
  spaces?.routeOut()
  const network =
    spaces === null
      ? new TestNetwork()
      : new TestNetwork(1, {
          place: (at) => ({ address: spaces.all[at]?.address ?? '', open: spaces.all[at]?.gateway ?? '' }),
          seenAs: (address) => spaces.all.find((space) => space.address === address)?.gateway ?? address,
        })
  network.set(CONDITIONS)
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-split-'))
  const nodes: ProductNode[] = []
  try {
    const program = await build.program()
    const places = Array.from({ length: count }, () => network.place())
    // Who they are is known before they are: so all can start at once.
    const enodes = places.map(({ open }, at) => {
      const id = openNodeKey(folderOf(folder, at)).id.toString('hex')
      return `enode://${id}@${open}:${PORT + 1}`
    })
    for (const place of places) await network.connect(place, PORT + 1)
    nodes.push(
      ...(await Promise.all(
        places.map(({ address }, at) =>
          ProductNode.start({
            program,
            dataDir: folderOf(folder, at),
            address,
            port: PORT,
            peers: enodes.slice(0, at),
            under: spaces?.all[at]?.under ?? [],
          }),
        ),
      )),
    )
    const half = Math.floor(count / 2)
    const sides = [places.slice(0, half), places.slice(half)] as const
    const course = await runCourse(nodes, seconds, {
      split: () => network.split(...sides),
      heal: () => network.heal(),
    })
    const faults = [...course.faults, ...(await judged(nodes))]
    return { nodes: count, where: spaces === null ? 'loopback' : 'namespaces', ...course, faults }
  } finally {
    await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    network.close()
    spaces?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function folderOf(folder: string, at: number): string {
  const path = join(folder, String(at))
  mkdirSync(path, { recursive: true })
  return path
}

type Course = Omit<SplitResult, 'nodes' | 'where'>

async function runCourse(
  nodes: readonly ProductNode[],
  seconds: number,
  { split, heal }: { split: () => void; heal: () => void },
): Promise<Course> {
  const faults: string[] = []
  const left = nodes[0] as ProductNode
  const right = nodes.at(-1) as ProductNode
  const met = async () => (await Promise.all(nodes.map(peersOf))).every((peers) => peers === nodes.length - 1)
  if (!(await within(met))) {
    const peers = await Promise.all(nodes.map(peersOf))
    faults.push(`nodes had ${peers.join(', ')} peers before the split`)
  }
  const makers = [new Producer(left, COW, 900), new Producer(right, COW1, 700)]
  await sleep(seconds * SPLIT_AT * 1000)
  split()
  await sleep(seconds * (HEAL_AT - SPLIT_AT) * 1000)
  const [leftHeight, rightHeight] = await Promise.all([heightOf(left), heightOf(right)])
  if ((await left.head()).hash === (await right.head()).hash) faults.push('the split split nothing')
  heal()
  const began = performance.now()
  // Both go on meanwhile: one head of all is seen between two blocks.
  if (!(await within(() => isOne(nodes)))) faults.push('no common head while blocks were made')
  const healed = (performance.now() - began) / 1000
  await sleep(Math.max(0, seconds * (1 - HEAL_AT) - healed) * 1000)
  for (const maker of makers) await maker.stop()
  const rested = performance.now()
  if (!(await within(() => isOne(nodes)))) faults.push(`${(await headsOf(nodes)).size} heads at the end`)
  const settled = (performance.now() - rested) / 1000
  return { left: leftHeight, right: rightHeight, end: await heightOf(left), healed, settled, faults }
}

/** Nobody was punished, nobody stopped, and every store is clean once its node has ended. */
async function judged(nodes: readonly ProductNode[]): Promise<string[]> {
  const faults: string[] = []
  for (const [at, node] of nodes.entries()) {
    const punished = (await node.scores()).filter(({ punishments }) => punishments > 0)
    if (punished.length > 0) faults.push(`node ${at} punished ${punished.length}`)
    if (node.report()?.halted) faults.push(`node ${at} stopped to synchronise`)
  }
  await Promise.all(nodes.map((node) => node.stop()))
  for (const [at, node] of nodes.entries()) {
    const problem = await node.check()
    if (problem !== null) faults.push(`node ${at}: ${problem}`)
  }
  return faults
}

/** Makes blocks at a node, every other one with a transaction. */
class Producer {
  #isStopped = false
  readonly #done: Promise<void>

  constructor(node: ProductNode, from: string, interval: number) {
    this.#done = this.#run(node, from, interval)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#done
  }

  async #run(node: ProductNode, from: string, interval: number): Promise<void> {
    for (let made = 0; !this.#isStopped; made += 1) {
      const value = `0x${made.toString(16)}`
      // Blocks of the other side may have undone what its nonce stood on: then there is one transaction less.
      if (made % 2 === 1)
        await node.request('eth_sendTransaction', [{ from, to: from, value }]).catch(() => undefined)
      await node.request('evm_mine')
      await sleep(interval)
    }
  }
}

async function peersOf(node: ProductNode): Promise<number> {
  return Number(await node.request<string>('net_peerCount'))
}

async function heightOf(node: ProductNode): Promise<number> {
  return (await node.head()).number
}

async function headsOf(nodes: readonly ProductNode[]): Promise<Set<string>> {
  return new Set(await Promise.all(nodes.map(async (node) => (await node.head()).hash)))
}

async function isOne(nodes: readonly ProductNode[]): Promise<boolean> {
  return (await headsOf(nodes)).size === 1
}

async function within(holds: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + MAX_MS
  while (performance.now() < until) {
    if (await holds()) return true
    await sleep(LOOK_MS)
  }
  return false
}
