import { join } from 'node:path'
import t from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { startNode } from '../support/nodeProcess.ts'
import { SocketClient } from '../support/socketClient.ts'
import { BranchBuilder, importBlocks } from './branchBuilder.ts'
import { planBranches, SENDERS } from './branchPlan.ts'
import { openTokenChain } from './tokenChain.ts'

interface Log {
  readonly blockHash: string
  readonly removed: boolean
}

t.test('a client that comes back after reorganisations goes on where it was', async (t) => {
  t.testdir({})
  const open = (name: string) => startNode({ dataDir: join(t.testdirName, name), args: ['--no-mining'] })
  const [node, other] = await Promise.all([open('node'), open('builder')])
  t.teardown(() => Promise.all([node.stop(), other.stop()]))
  const builder = new BranchBuilder(other)
  const token = await openTokenChain(node, builder, SENDERS)
  const nonces = new Map(SENDERS.map((account) => [account, 0]))
  for (const account of SENDERS) {
    nonces.set(
      account,
      Number(await node.request('eth_getTransactionCount', [toHex(account.address), 'latest'])),
    )
  }
  const plan = planBranches(token, 3, nonces)
  const old = await builder.branch(plan.oldBlocks)
  const fresh = await builder.extend(plan.newBlocks)
  await importBlocks(node, old)
  const logsOf = (hash: string, removed: boolean) =>
    node
      .request<Log[]>('eth_getLogs', [{ blockHash: hash, address: toHex(token) }])
      .then((logs) => logs.map((log) => ({ ...log, removed })))
  const expected: Log[] = []
  for (const { hash } of [...old].reverse()) expected.push(...(await logsOf(hash, true)))
  // The client was told of the old branch, and is away while the node goes over to the new one.
  await importBlocks(node, fresh)
  for (const { hash } of fresh) expected.push(...(await logsOf(hash, false)))
  t.ok(expected.some(({ removed }) => removed) && expected.some(({ removed }) => !removed))

  const socket = await SocketClient.open(Number(new URL(node.url).port))
  t.teardown(() => socket.close())
  const tip = old.at(-1)?.hash
  const logs = await socket.subscribe('logs', { address: toHex(token), fromBlock: tip })
  const heads = await socket.subscribe('newHeads', { fromBlock: tip })
  const of = (handle: string) =>
    socket.notifications.filter(({ subscription }) => subscription === handle).map(({ result }) => result)
  await socket.untilNotifications(expected.length + fresh.length)
  t.same(of(logs), expected)
  t.same(
    of(heads).map((head) => (head as { hash: string }).hash),
    fresh.map(({ hash }) => hash),
  )

  // From now on both are live.
  const [next] = await builder.extend([[]])
  if (next === undefined) throw new Error('no block')
  await importBlocks(node, [next])
  const before = expected.length + fresh.length
  const nextLogs = await logsOf(next.hash, false)
  await socket.untilNotifications(before + 1 + nextLogs.length)
  t.same((of(heads).at(-1) as { hash: string }).hash, next.hash)
  t.equal(socket.notifications.length, before + 1 + nextLogs.length)

  const refused = async (...params: readonly unknown[]) =>
    (await socket.ask('eth_subscribe', ...params)).error
  t.match(await refused('logs', { fromBlock: `0x${'7'.repeat(64)}` }), { code: -32000 })
  t.match(await refused('newHeads', { fromBlock: 'latest' }), { code: -32602 })
  t.match(await refused('newHeads', { fromBlock: tip, toBlock: 'latest' }), { code: -32601 })
})
