import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { BitcoinPool } from '../support/bitcoinPool.ts'
import { NATS_SKIP, NATS_USER } from '../support/natsServer.ts'
import { askNode, JsonRpcError } from '../support/nodeProcess.ts'
import { bytesOf, type PoolWork, type SubmitResult, submission } from '../support/poolNode.ts'
import { createRandom } from '../support/random.ts'
import { signedTransaction } from '../support/signedTransaction.ts'
import { builtProgram } from '../support/testBuild.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { FLEET_NAME, TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'

const READY_MS = 60_000
const miner = new BitcoinPool('/fleet/', createRandom(1))

interface Status {
  readonly self: string
  readonly present: boolean
  readonly members: readonly { readonly name: string; readonly present: boolean; readonly linked: boolean }[]
  readonly counts: Readonly<Record<string, number>>
}

const ask = <T>({ url }: MemberProcess, method: string, params: readonly unknown[] = []) =>
  askNode<T>(url, method, params)
const heightOf = async (member: MemberProcess) => Number(await ask<string>(member, 'eth_blockNumber'))
const statusOf = (member: MemberProcess) => ask<Status>(member, 'rsk_getFleetStatus')

t.test('three members are one service, whoever is hit', { skip: NATS_SKIP, timeout: 300_000 }, async (t) => {
  const folder = t.testdir()
  const program = process.env['TEST_PROGRAM'] ?? (await builtProgram(t))
  const fleet = await TestFleet.start({
    folder,
    members: 3,
    servers: 3,
    program,
    args: ['--block-time', '1', '--merged-mining'],
  })
  t.teardown(() => fleet.close())
  const { members, servers } = fleet
  const [first, second, third] = members as [MemberProcess, MemberProcess, MemberProcess]
  const areWhole = async () => {
    let all: readonly Status[] = []
    await until('all see all', async () => {
      all = await Promise.all(members.map(statusOf))
      return all.every(
        (status) =>
          status.present && status.members.filter(({ present, linked }) => present && linked).length === 2,
      )
    }).catch((error: unknown) => {
      throw new Error(JSON.stringify(all), { cause: error })
    })
  }
  /** Asks all the time; what failed at whom. */
  const watch = (watched: readonly MemberProcess[]) => {
    const failures: string[] = []
    let isOver = false
    const readers = watched.map(async (member) => {
      while (!isOver) {
        const began = performance.now()
        await ask(member, 'eth_blockNumber').catch((error: unknown) => {
          failures.push(
            `${member.member} after ${Math.round(performance.now() - began)} ms: ${String(error)}`,
          )
        })
        await sleep(10)
      }
    })
    return async () => {
      isOver = true
      await Promise.all(readers)
      return failures
    }
  }
  const grow = async (grown: readonly MemberProcess[]) => {
    const least = Math.max(...(await Promise.all(grown.map(heightOf)))) + 3
    await until(`block ${least}`, async () =>
      (await Promise.all(grown.map(heightOf))).every((at) => at >= least),
    )
  }
  let nonce = 0n
  /** A transaction is read at every member right after its answer. */
  const send = async (member: MemberProcess) => {
    const { encoded } = signedTransaction({ nonce })
    nonce += 1n
    const hash = await ask<string>(member, 'eth_sendRawTransaction', [`0x${encoded.toString('hex')}`])
    const found = await Promise.all(
      members.map((reader) => ask<object | null>(reader, 'eth_getTransactionByHash', [hash])),
    )
    t.ok(
      found.every((transaction) => transaction !== null),
      `sent at ${member.member}, read at all`,
    )
  }

  await areWhole()
  await grow(members)
  for (let round = 0; round < 5; round += 1) for (const member of members) await send(member)

  t.comment('heads differ by little')
  for (let round = 0; round < 20; round += 1) {
    const heights = await Promise.all(members.map(heightOf))
    t.ok(Math.max(...heights) - Math.min(...heights) <= 1, heights.join())
    await sleep(50)
  }

  t.comment('one member makes blocks, and others name it')
  const outcomes = await Promise.allSettled(members.map((member) => ask(member, 'evm_mine')))
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )
  t.equal(refused.length, 2)
  for (const text of refused) t.match(text, /the member m[0-2] makes the blocks/)

  t.comment('filters are polled at members in turn: no block is missing, none comes twice')
  const filters = await Promise.all(members.map((member) => ask<string>(member, 'eth_newBlockFilter')))
  const begun = await Promise.all(members.map(heightOf))
  const seen = filters.map((): string[] => [])
  for (let round = 0; round < 40; round += 1) {
    const polls = filters.map((filter, index) =>
      ask<string[]>(members[(index + round) % 3] as MemberProcess, 'eth_getFilterChanges', [filter]),
    )
    for (const [index, hashes] of (await Promise.all(polls)).entries()) seen[index]?.push(...hashes)
    await sleep(100)
  }
  for (const [index, hashes] of seen.entries()) {
    const blocks = await Promise.all(
      hashes.map((hash) => ask<{ number: string }>(first, 'eth_getBlockByHash', [hash, false])),
    )
    const numbers = blocks.map(({ number }) => Number(number))
    const [from = 0] = numbers
    t.ok(numbers.length >= 2, `${numbers.length} blocks`)
    t.ok(from <= (begun[index] ?? 0) + 1, `from ${begun[index]} on: ${from}`)
    t.same(
      numbers,
      numbers.map((_, at) => from + at),
    )
  }
  const [ownFilter] = filters
  t.equal(await ask<boolean>(third, 'eth_uninstallFilter', [filters[1]]), true)

  t.comment('work for pools: what one member handed out is solved at another')
  const isSolved = async () => {
    const { blockHashForMergedMining: hash, target } = await ask<PoolWork>(first, 'mnr_getWork')
    const solution = miner.mine(bytesOf(hash), BigInt(target), 1)
    const { blockHash } = await ask<SubmitResult>(second, ...submission('block', solution))
    const block = await ask<object | null>(second, 'eth_getBlockByHash', [blockHash, false])
    return block !== null
  }
  await until('a solution counts elsewhere', isSolved)
  const alike = async () => {
    const works = await Promise.all(members.map((member) => ask<PoolWork>(member, 'mnr_getWork')))
    return new Set(works.map(({ blockHashForMergedMining }) => blockHashForMergedMining)).size === 1
  }
  await until('all hand out the same', alike)

  t.comment('rubbish on every subject stops nothing')
  const nats = await connect({
    servers: [...(servers?.urls ?? [])],
    user: NATS_USER.user,
    pass: NATS_USER.password,
  })
  const { self } = await statusOf(first)
  const subjects = [
    'presence',
    'transactions',
    `confirmed.${self}`,
    `call.${self}.waiting`,
    `call.${self}.transactions`,
    `call.${self}.status`,
    `call.${self}.filter`,
    'counters',
    'work',
  ]
  for (const subject of subjects)
    for (const text of ['', '{}', 'null', '[]', 'x'.repeat(5), '{"speaks":2}', 'y'.repeat(20_000)])
      nats.publish(`${FLEET_NAME}.v2.${subject}`, text)
  await nats.flush()
  await nats.close()
  await grow(members)
  t.ok(((await statusOf(first)).counts['skippedMessages'] ?? 0) > 0)
  await send(second)

  t.comment('kill -9 of a member: the others do not fail')
  const others = watch([second, third])
  await first.end('SIGKILL')
  const poll = ask(second, 'eth_getFilterChanges', [ownFilter])
  await t.rejects(poll, { code: -32005 }, 'a filter of that member: ask again')
  await grow([second, third])
  t.same(await others(), [])
  await until('then it is gone', async () => {
    const error = await ask(second, 'eth_getFilterChanges', [ownFilter]).catch((reason: unknown) => reason)
    return error instanceof JsonRpcError && error.code === -32000
  })
  await first.start()
  await first.untilReady(READY_MS)
  await areWhole()
  await send(first)

  t.comment('kill -9 of each NATS server: nobody fails')
  for (const server of servers?.servers ?? []) {
    const all = watch(members)
    await server.kill()
    await grow(members)
    await sleep(1500)
    t.same(await all(), [], server.name)
    server.start()
    await servers?.untilReady()
  }

  t.comment('all of NATS is gone: independent nodes, whose blocks and transactions go by p2p')
  const alone = watch(members)
  await servers?.kill()
  await grow(members)
  const { encoded } = signedTransaction({ nonce })
  const hash = await ask<string>(third, 'eth_sendRawTransaction', [`0x${encoded.toString('hex')}`])
  await until('mined at all', async () =>
    (await Promise.all(members.map((member) => ask(member, 'eth_getTransactionReceipt', [hash])))).every(
      (receipt) => receipt !== null,
    ),
  )
  t.same(await alone(), [])
  await servers?.start()
  await areWhole()

  t.comment('a copied directory does not join')
  const copy = join(folder, 'copy')
  await third.end('SIGTERM')
  cpSync(third.dataDir, copy, { recursive: true })
  await third.start()
  await third.untilReady(READY_MS)
  await areWhole()
  const double = await fleet.startCopy(copy)
  t.teardown(() => double.end('SIGKILL'))
  await until('it says so', async () => double.output.includes('another process runs as member'))
  await until('it is not present', async () => !(await statusOf(double)).present)
  await areWhole()
  await double.end('SIGKILL')

  t.comment('nor one with another id and the same node key')
  rmSync(join(copy, 'fleet.json'))
  const sameKey = await fleet.startCopy(copy)
  t.teardown(() => sameKey.end('SIGKILL'))
  await until('it says so', async () => sameKey.output.includes('or with the same node key'))
  await until('it is not present', async () => !(await statusOf(sameKey)).present)
  await areWhole()
})
