import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { HeadChange } from '../../../src/chain/chainWriter.ts'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { Service } from '../../../src/node/service.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { openEventService } from '../../support/eventService.ts'
import { SocketClient } from '../../support/socketClient.ts'
import {
  type BlockLogs,
  SyntheticChain,
  testAddress,
  testLog,
  testTopic,
} from '../../support/syntheticChain.ts'

const one = (address: number, topic = address): BlockLogs => [[testLog(address, [topic])]]
const hex = (value: number) => `0x${value.toString(16)}`
const tell = (service: Service, change: HeadChange) => service.headChanged(change)

/** What a log says of the block it is in: sign, height, first byte of the address. */
function logMark(value: unknown): string {
  const { removed, blockNumber, address } = value as {
    removed: boolean
    blockNumber: string
    address: string
  }
  const sign = removed ? '-' : '+'
  return `${sign}${Number(blockNumber)}:${Number.parseInt(address.slice(2, 4), 16)}`
}

const logMarks = (result: unknown): string[] => (result as readonly unknown[]).map(logMark)
const hashes = (blocks: readonly Block[]): string[] => blocks.map((block) => toHex(block.hash))

// Starting workers takes seconds: tests that need nothing special share a node.
const chain = new SyntheticChain(t)
chain.append([one(1), one(2)])
const { service, ask } = await openEventService(t, chain)
const tip = (): Block => chain.reader.blockByHash(chain.reader.head().hash) ?? chain.genesis

t.test('reorganisations of several depths: filters, subscriptions, receipts and lookups', async (t) => {
  for (const depth of [1, 2, 10]) {
    const fork = tip()
    const socket = await SocketClient.open(service.port)
    const heads = await socket.subscribe('newHeads')
    const logs = await socket.subscribe('logs', {})
    const others = await socket.subscribe('logs', { address: toHex(testAddress(99)) })
    const blockFilter = (await ask('eth_newBlockFilter')).result
    const logFilter = (await ask('eth_newFilter', {})).result
    const wholeFilter = (await ask('eth_newFilter', { fromBlock: hex(fork.number) })).result

    const old = chain.extend(
      fork,
      Array.from({ length: depth }, (_, index) => one(10 + index)),
    )
    for (const block of old) tell(service, chain.moveHead(block))
    const oldTip = old.at(-1) ?? fork
    const oldTransaction = toHex(oldTip.transactions[0]?.hash ?? Buffer.alloc(32))
    t.same((await ask('eth_getFilterChanges', blockFilter)).result, hashes(old))
    t.same(
      logMarks((await ask('eth_getFilterChanges', logFilter)).result),
      old.map(({ number }, index) => `+${number}:${10 + index}`),
    )
    t.match((await ask('eth_getTransactionReceipt', oldTransaction)).result, {
      blockHash: toHex(oldTip.hash),
    })

    const fresh = chain.extend(
      fork,
      Array.from({ length: depth + 1 }, (_, index) => one(40 + index)),
    )
    const newTip = fresh.at(-1) ?? fork
    tell(service, chain.moveHead(newTip))
    t.same((await ask('eth_getFilterChanges', blockFilter)).result, hashes(fresh))
    const removed = old.map(({ number }, index) => `-${number}:${10 + index}`).reverse()
    const added = fresh.map(({ number }, index) => `+${number}:${40 + index}`)
    t.same(logMarks((await ask('eth_getFilterChanges', logFilter)).result), [...removed, ...added])
    t.same((await ask('eth_getFilterChanges', logFilter)).result, [])
    t.same(logMarks((await ask('eth_getFilterLogs', wholeFilter)).result), [
      ...logMarks((await ask('eth_getLogs', { blockHash: toHex(fork.hash) })).result),
      ...added,
    ])
    t.same(
      logMarks((await ask('eth_getLogs', { fromBlock: hex(fork.number + 1), toBlock: '0xff' })).result),
      added,
    )
    t.same(logMarks((await ask('eth_getLogs', { blockHash: toHex(oldTip.hash) })).result), [
      `+${oldTip.number}:${9 + depth}`,
    ])
    t.equal((await ask('eth_getTransactionReceipt', oldTransaction)).result, null)
    t.equal((await ask('eth_getTransactionByHash', oldTransaction)).result, null)
    const newTransaction = toHex(newTip.transactions[0]?.hash ?? Buffer.alloc(32))
    t.match((await ask('eth_getTransactionByHash', newTransaction)).result, { blockHash: toHex(newTip.hash) })

    await socket.untilNotifications(2 * depth + depth + 2 * (depth + 1))
    const of = (handle: string) =>
      socket.notifications.filter(({ subscription }) => subscription === handle).map(({ result }) => result)
    t.same(
      of(heads).map((head) => (head as { hash: string }).hash),
      [...hashes(old), ...hashes(fresh)],
    )
    t.same(of(logs).map(logMark), [
      ...old.map(({ number }, index) => `+${number}:${10 + index}`),
      ...removed,
      ...added,
    ])
    t.same(of(others), [])
    socket.close()
  }
})

t.test('shapes of notifications', async (t) => {
  const socket = await SocketClient.open(service.port)
  t.teardown(() => socket.close())
  const heads = await socket.subscribe('newHeads')
  const logs = await socket.subscribe('logs', { topics: [[toHex(testTopic(5)), toHex(testTopic(6))]] })
  const pending = await socket.subscribe('newPendingTransactions')
  const syncing = await socket.subscribe('syncing')
  for (const handle of [heads, logs, pending, syncing]) t.match(handle, /^0x[1-9a-f][0-9a-f]{31}$/)
  const [block] = chain.extend(tip(), [[[testLog(1, [7]), testLog(1, [6, 2], 'abcd')], [testLog(2, [5])]]])
  if (block === undefined) throw new Error('no block')
  tell(service, chain.moveHead(block))
  const hash = Buffer.alloc(32, 9)
  service.pendingAdded([{ hash, encoded: Buffer.alloc(0), sender: Buffer.alloc(20) }])
  service.syncingChanged({ startingBlock: 1, currentBlock: 2, highestBlock: 300 })
  service.syncingChanged(null)
  await socket.untilNotifications(6)
  const common = { blockNumber: hex(block.number), blockHash: toHex(block.hash) }
  t.strictSame(socket.notifications.slice(0, 2), [
    {
      subscription: logs,
      result: {
        logIndex: '0x1',
        ...common,
        transactionHash: toHex(block.transactions[0]?.hash ?? Buffer.alloc(0)),
        transactionIndex: '0x0',
        address: toHex(testAddress(1)),
        data: '0xabcd',
        topics: [toHex(testTopic(6)), toHex(testTopic(2))],
        removed: false,
      },
    },
    {
      subscription: logs,
      result: {
        logIndex: '0x2',
        ...common,
        transactionHash: toHex(block.transactions[1]?.hash ?? Buffer.alloc(0)),
        transactionIndex: '0x1',
        address: toHex(testAddress(2)),
        data: '0x',
        topics: [toHex(testTopic(5))],
        removed: false,
      },
    },
  ])
  const [, , head, transaction, began, ended] = socket.notifications
  t.equal(head?.subscription, heads)
  t.same(Object.keys(head?.result as object), [
    'difficulty',
    'extraData',
    'gasLimit',
    'gasUsed',
    'logsBloom',
    'miner',
    'number',
    'parentHash',
    'receiptsRoot',
    'sha3Uncles',
    'stateRoot',
    'timestamp',
    'transactionsRoot',
    'hash',
  ])
  t.strictSame(transaction, { subscription: pending, result: toHex(hash) })
  t.strictSame(began, {
    subscription: syncing,
    result: { startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x12c' },
  })
  t.strictSame(ended, { subscription: syncing, result: false })
})

t.test('subscriptions belong to their connection', async (t) => {
  const chain = new SyntheticChain(t)
  const { service, ask } = await openEventService(t, chain, {
    events: { filters: { timeout: 60_000, most: 2 }, subscriptions: 2 },
  })
  t.match(await ask('eth_subscribe', 'newHeads'), { error: { code: -32601, message: 'method not found' } })
  t.match(await ask('eth_unsubscribe', '0x12'), { error: { code: -32601 } })
  const [socket, other] = await Promise.all([
    SocketClient.open(service.port),
    SocketClient.open(service.port),
  ])
  t.teardown(() => other.close())
  const handle = await socket.subscribe('newHeads')
  t.equal((await other.ask('eth_unsubscribe', handle)).result, false)
  t.equal((await socket.ask('eth_unsubscribe', handle)).result, true)
  t.equal((await socket.ask('eth_unsubscribe', handle)).result, false)
  t.equal((await socket.ask('eth_unsubscribe', 'zz')).error?.code, -32601)
  for (const wrong of [
    [],
    ['foo'],
    [5],
    ['logs', { foo: 1 }],
    ['logs', { address: '0x12' }],
    ['syncing', 1],
  ]) {
    t.equal((await socket.ask('eth_subscribe', ...wrong)).error?.code, -32601, JSON.stringify(wrong))
  }
  await socket.subscribe('logs', { fromBlock: '0x0' })
  await socket.subscribe('newPendingTransactions', true)
  t.equal((await socket.ask('eth_subscribe', 'newHeads')).error?.code, -32005)
  await other.subscribe('newHeads')
  socket.close()
  tell(service, chain.moveHead(chain.extend(chain.genesis, [one(1)])[0] ?? chain.genesis))
  await other.untilNotifications(1)
  t.ok((await ask('eth_newBlockFilter')).result)
  t.ok((await ask('eth_newBlockFilter')).result)
  t.match(await ask('eth_newBlockFilter'), { error: { code: -32005 } })
})

t.test('handles of filters as the reference reads them', async (t) => {
  for (const unknown of ['0x3e8', '', '1', 1, '0x', '0x0']) {
    t.match(await ask('eth_getFilterChanges', unknown), {
      error: { code: -32000, message: 'filter not found' },
    })
    t.match(await ask('eth_getFilterLogs', unknown), { error: { code: -32000, message: 'filter not found' } })
    t.match(await ask('eth_uninstallFilter', unknown), { result: false })
  }
  t.match(await ask('eth_getFilterChanges', 'zz'), {
    error: { code: -32602, message: 'Invalid data format: invalid hex value.' },
  })
  t.match(await ask('eth_newFilter', { fromBlock: '0x3', toBlock: '0x2' }), { error: { code: -32602 } })
  t.match(await ask('eth_newFilter', { topics: ['0x12'] }), {
    error: { code: -32602, message: 'Invalid topic: incorrect length.' },
  })
  const handle = String((await ask('eth_newFilter', {})).result)
  t.match(await ask('eth_getFilterChanges', handle.toUpperCase().replace('0X', '0x')), { result: [] })
  t.match(await ask('eth_uninstallFilter', handle), { result: true })
})

t.test('a filter outlives the worker that reads its logs, and loses nothing', async (t) => {
  const chain = new SyntheticChain(t)
  const deadly = join(t.testdir(), 'deadly')
  const { service, ask } = await openEventService(t, chain, { deadly })
  const handle = (await ask('eth_newFilter', {})).result
  tell(service, chain.moveHead(chain.extend(chain.genesis, [one(1), one(2)])[1] ?? chain.genesis))
  writeFileSync(deadly, '')
  t.match(await ask('eth_getFilterChanges', handle), { error: { code: -32603 } })
  rmSync(deadly)
  t.same(logMarks((await ask('eth_getFilterChanges', handle)).result), ['+1:1', '+2:2'])
  t.same((await ask('eth_getFilterChanges', handle)).result, [])
})

t.test('an answer of many megabytes goes out in pieces', async (t) => {
  const data = 'ab'.repeat(100_000)
  const first = tip().number + 1
  chain.append(Array.from({ length: 150 }, (_, index) => [[testLog(1 + (index % 9), [], data)]]))
  const found = (await ask('eth_getLogs', { fromBlock: hex(first) })).result as readonly { data: string }[]
  t.equal(found.length, 150)
  t.ok(found.every((log) => log.data.length === 200_002))
  t.same(
    logMarks(found),
    Array.from({ length: 150 }, (_, index) => `+${first + index}:${1 + (index % 9)}`),
  )
  const socket = await SocketClient.open(service.port)
  t.teardown(() => socket.close())
  t.equal((await socket.ask('eth_getLogs', { fromBlock: hex(first) })).error?.code, -32011)
})
