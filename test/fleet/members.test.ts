import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NATS_SKIP } from '../support/natsServer.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { TestBuild } from '../support/testBuild.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'

const READY_MS = 60_000

interface Head {
  readonly number: string
  readonly hash: string
}

t.test(
  'three members are one chain, whoever of them ends',
  { skip: NATS_SKIP, timeout: 900_000 },
  async (t) => {
    const folder = t.testdir()
    const build = await TestBuild.create()
    t.teardown(() => rmSync(build.folder, { recursive: true, force: true }))
    const program = join(build.folder, 'dist/cli/main.js')
    const fleet = await TestFleet.start({
      folder,
      members: 3,
      servers: 1,
      program,
      lease: 1500,
      args: ['--block-time', '1'],
    })
    t.teardown(() => fleet.close())
    const { members } = fleet
    let nonce = 0n

    t.comment('a block of the leader becomes the head everywhere')
    const { number } = await headOf(one(members))
    await untilHead(members, Number(number) + 1)

    t.comment('a transaction that one member took is in the pool of all when the answer comes')
    await sends(one(members))

    t.comment('a member that is killed comes back')
    const victim = members.find(({ member }) => member === 2) ?? one(members)
    await victim.end('SIGKILL')
    const rest = members.filter((member) => member !== victim)
    await grows(rest)
    await victim.start()
    await victim.untilReady(READY_MS)
    await grows(members)
    await sends(victim)

    t.comment('another member leads when the leader is killed')
    const leader = await leaderOf(members)
    await leader.end('SIGKILL')
    await grows(members.filter((member) => member !== leader))
    await leader.start()
    await leader.untilReady(READY_MS)
    await grows(members)

    t.comment('servers that are killed and started again')
    await fleet.servers?.kill()
    await until('all members are cut off', async () =>
      (await Promise.all(members.map((member) => member.isReady()))).every((isReady) => !isReady),
    )
    await fleet.servers?.start()
    await fleet.untilReady()
    await grows(members)
    await sends(one(members))

    t.comment('a member that is told to stop leaves without a pause for the others')
    await one(members).end('SIGTERM')
    await grows(members.slice(1))

    /** A transaction is accepted by one member and known to all. */
    async function sends(member: MemberProcess): Promise<void> {
      const raw = `0x${signedTransaction({ from: COW, nonce }).encoded.toString('hex')}`
      const hash = await ask<string>(member, 'eth_sendRawTransaction', [raw])
      nonce += 1n
      for (const other of members.filter(({ isRunning }) => isRunning))
        await until(`${hash} is known to ${other.member}`, async () => {
          const found = await ask<{ hash: string } | null>(other, 'eth_getTransactionByHash', [hash])
          return found?.hash === hash
        })
      t.equal(await ask<string>(member, 'eth_sendRawTransaction', [raw]), hash, 'sent again it is the same')
    }

    /** Heads of these members go on, and are the same. */
    async function grows(some: readonly MemberProcess[]): Promise<void> {
      const heads = await Promise.all(some.map((member) => patient(member)))
      await untilHead(some, Math.max(...heads.map(({ number }) => Number(number))) + 1)
    }

    async function untilHead(some: readonly MemberProcess[], height: number): Promise<void> {
      for (const member of some)
        await until(
          `${member.member} has block ${height}`,
          async () => Number((await headOf(member)).number) >= height,
        )
      const hex = `0x${height.toString(16)}`
      const hashes = await Promise.all(
        some.map(async (member) => (await ask<Head>(member, 'eth_getBlockByNumber', [hex, false])).hash),
      )
      t.equal(new Set(hashes).size, 1, `block ${height} is the same on all`)
    }
  },
)

function one(members: readonly MemberProcess[]): MemberProcess {
  const [first] = members
  if (first === undefined) throw new Error('no member')
  return first
}

function ask<T>(member: MemberProcess, method: string, params: readonly unknown[]): Promise<T> {
  return askPatiently<T>(member.url, method, params)
}

function headOf(member: MemberProcess): Promise<Head> {
  return ask<Head>(member, 'eth_getBlockByNumber', ['latest', false])
}

/** The head of a member that may be joining. */
async function patient(member: MemberProcess): Promise<Head> {
  await member.untilReady(READY_MS)
  return askPatiently<Head>(member.url, 'eth_getBlockByNumber', ['latest', false])
}

async function leaderOf(members: readonly MemberProcess[]): Promise<MemberProcess> {
  for (const member of members) {
    const metrics = await (await fetch(new URL('/metrics', member.origin))).text()
    if (/fleet_leader_info 1/.test(metrics)) return member
  }
  throw new Error('nobody leads')
}
