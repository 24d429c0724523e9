import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { startCommand } from '../support/cli.ts'
import { NATS_SKIP, NATS_USER, type NatsCluster } from '../support/natsServer.ts'
import { askNode } from '../support/nodeProcess.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { TestBuild } from '../support/testBuild.ts'
import { testFolder } from '../support/testFolder.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { FLEET_NAME, fleetArguments, TestFleet } from './cluster/testFleet.ts'

const LEASE_MS = 1500
/** A member that led with what it finds would do so by then; others are waited for six times as long. */
const ALONE_MS = 5000
const READY_MS = 120_000
const LOOK_MS = 100
/** Blocks that are made after a copy, or before the next step. */
const BLOCKS = 3
/** Transactions from this nonce on wait for those before them: no block takes them. */
const WAITING_NONCE = 900n

t.test(
  'a log that lost its tail, or is new: no head goes back, and what was acknowledged is there again',
  { skip: NATS_SKIP, timeout: 900_000 },
  async (t) => {
    const folder = testFolder(t)
    const build = await TestBuild.create()
    t.teardown(() => rmSync(build.folder, { recursive: true, force: true }))
    const program = join(build.folder, 'dist/cli/main.js')
    const args = ['--block-time', '1']
    const fleet = await TestFleet.start({ folder, members: 2, servers: 1, program, lease: LEASE_MS, args })
    t.teardown(() => fleet.close())
    const [ahead, behind] = fleet.members as [MemberProcess, MemberProcess]
    const servers = fleet.servers as NatsCluster
    const stored = join(folder, 'nats', 'nats-1', 'jetstream')
    const copy = join(folder, 'copy')
    const client = new HeadClient(fleet.members)
    t.teardown(() => client.stop())
    const hashes: string[] = []

    t.comment('an older copy of the log, of a time when one member was away')
    await client.grows(BLOCKS)
    await goesOnAlone()
    await servers.stop()
    cpSync(stored, copy, { recursive: true })
    await servers.start()
    await ahead.untilReady(READY_MS)
    await client.grows(BLOCKS)
    await send()
    await ahead.end('SIGKILL')
    await servers.stop()
    rmSync(stored, { recursive: true })
    cpSync(copy, stored, { recursive: true })
    await servers.start()
    await comesBack()

    t.comment('another log, which is empty')
    await goesOnAlone()
    await client.grows(BLOCKS)
    await send()
    await ahead.end('SIGKILL')
    await removeLog(servers)
    const { code, stderr } = await startCommand(['fleet', 'init', ...fleetArguments(servers)], [], [program])
      .done
    t.equal(code, 0, stderr)
    await comesBack()

    async function goesOnAlone(): Promise<void> {
      await behind.end('SIGKILL')
      await client.grows(BLOCKS)
    }

    /** A transaction is acknowledged that no block takes. */
    async function send(): Promise<void> {
      const nonce = WAITING_NONCE + BigInt(hashes.length)
      const raw = `0x${signedTransaction({ from: COW, nonce }).encoded.toString('hex')}`
      hashes.push(await askPatiently<string>(ahead.url, 'eth_sendRawTransaction', [raw]))
      t.strictSame(await waitingAt(ahead), [...hashes].sort(), 'it waits')
    }

    /** The member that was away starts first. */
    async function comesBack(): Promise<void> {
      const { number, hash } = client.seen
      await behind.start()
      await sleep(ALONE_MS)
      t.equal(client.seen.number, number, 'a member alone does not go on')
      await ahead.start()
      await fleet.untilReady()
      await client.grows(BLOCKS)
      t.same(client.violations, [], 'no answer is of an older head')
      for (const member of fleet.members) {
        const block = await askPatiently<Head>(member.url, 'eth_getBlockByNumber', [hex(number), false])
        t.equal(block.hash, hash, 'the block that was seen last is on the chain')
        t.strictSame(await waitingAt(member), [...hashes].sort(), 'what was acknowledged is there')
      }
    }

    /** Hashes of transactions that wait for those before them. */
    async function waitingAt({ url }: MemberProcess): Promise<readonly string[]> {
      const { queued } = await askPatiently<PoolContent>(url, 'txpool_content', [])
      const lists = Object.values(queued).flatMap((ofAccount) => Object.values(ofAccount))
      return lists
        .flat()
        .map(({ hash }) => hash)
        .sort()
    }
  },
)

interface Head {
  readonly number: string
  readonly hash: string
}

interface PoolContent {
  /** By account and nonce. */
  readonly queued: Readonly<Record<string, Readonly<Record<string, readonly { readonly hash: string }[]>>>>
}

/** A client that asks one member after the other for the head. */
class HeadClient {
  /** The highest head that was answered. */
  seen: { readonly number: number; readonly hash: string } = { number: 0, hash: '' }
  readonly violations: string[] = []
  readonly #members: readonly MemberProcess[]
  #isStopped = false

  constructor(members: readonly MemberProcess[]) {
    this.#members = members
    void this.#run()
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Waits until the head is so many blocks above what it is now. @throws Error when that takes too long */
  async grows(blocks: number): Promise<void> {
    const goal = this.seen.number + blocks
    const until = performance.now() + READY_MS
    while (this.seen.number < goal) {
      if (performance.now() > until) throw new Error(`the head stays at ${this.seen.number}`)
      await sleep(LOOK_MS)
    }
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      for (const member of this.#members.filter(({ isRunning }) => isRunning)) await this.#ask(member)
      await sleep(LOOK_MS)
    }
  }

  async #ask({ member, url }: MemberProcess): Promise<void> {
    const head = await askNode<Head>(url, 'eth_getBlockByNumber', ['latest', false]).catch(() => null)
    if (head === null) return
    const number = Number(head.number)
    if (number < this.seen.number)
      this.violations.push(`member ${member} answers at ${number}, ${this.seen.number} was seen`)
    else this.seen = { number, hash: head.hash }
  }
}

async function removeLog({ urls }: NatsCluster): Promise<void> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    const manager = await jetstreamManager(nats)
    await manager.streams.delete(new FleetNames(FLEET_NAME).log)
  } finally {
    await nats.close()
  }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
