import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { type Ask, asking, makeUpstreamChain } from '../fork/upstreamChain.ts'
import { testFolder } from '../support/testFolder.ts'

type Block = { hash: string; number: string; transactions: string[] }

const number = (height: number) => `0x${height.toString(16)}`
const word = (value: number) => value.toString(16).padStart(64, '0')
/** The highest block that both branches have. */
const COMMON = 12
const REORGANISED = /has another block \d+ than the one that this chain is a fork of: nothing more is read/

/** A chain of every kind of transaction, and another one that leaves it above a block. */
async function openBranches(t: Test) {
  const [one, other] = await Promise.all([createNode({ process: 'child' }), createNode({ process: 'child' })])
  t.teardown(() => Promise.all([one.stop(), other.stop()]))
  const [askOne, askOther] = [asking(one.url), asking(other.url)]
  const chain = await makeUpstreamChain(askOne, 30, 7)
  const head = Number(await askOne('eth_blockNumber'))
  for (let height = 1; height <= COMMON; height += 1)
    await askOther('evm_importRawBlock', [await askOne('debug_getRawBlock', [number(height)])])
  await askOther('hardhat_mine', [number(head + 10 - COMMON)])
  const proxy = await FaultyProxy.open(one.url)
  t.teardown(() => proxy.close())
  return { proxy, askOne, chain, head, one, other }
}

async function busyBlock(ask: Ask, from: number): Promise<Block & { height: number }> {
  for (let height = from; ; height -= 1) {
    const block = await ask<Block>('eth_getBlockByNumber', [number(height), false])
    if (block.transactions.length > 2) return { ...block, height }
  }
}

t.test('what is below a fork is of its branch, whatever becomes of that upstream', async (t) => {
  const { proxy, askOne, chain, head, one, other } = await openBranches(t)
  const left = await busyBlock(askOne, head - 2)
  const [hash = ''] = left.transactions
  const call = { to: chain.token, data: '0x18160ddd' }
  const below: [string, unknown[]][] = [
    ['eth_getBlockByNumber', [number(left.height), false]],
    ['debug_getRawHeader', [number(left.height)]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getLogs', [{ fromBlock: number(left.height), toBlock: 'latest' }]],
    ['eth_getBalance', [chain.sender, number(left.height)]],
    ['eth_getBalance', [chain.sender, { blockHash: left.hash }]],
    ['eth_call', [call, number(left.height)]],
    ['debug_traceBlockByNumber', [number(left.height), { tracer: 'callTracer' }]],
  ]
  const node = await createNode({
    fork: { url: proxy.url, block: head },
    config: { forkCache: join(testFolder(t), 'answers') },
  })
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  const outcome = (run: Promise<unknown>) => run.then(JSON.stringify, (error: Error) => error.message)
  const begin = async (isOurs: boolean, servesTraces: boolean) => {
    proxy.target = one.url
    proxy.change = ({ method }, result) =>
      method === 'web3_clientVersion' && !isOurs ? 'RskJ/9.0.1' : result
    proxy.fault = ({ method }) =>
      /^(debug_trace|trace_)/.test(method) && !servesTraces
        ? { error: { code: -32601, message: 'the method does not exist/is not available' } }
        : null
    await ask('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url, blockNumber: head } }])
  }
  let reads = 0
  for (const isOurs of [true, false]) {
    for (const [method, params] of below) {
      const isTrace = /^(debug_trace|trace_)/.test(method)
      for (const servesTraces of isTrace ? [true, false] : [true]) {
        const name = `${method} ${params[0]} of ${isOurs ? 'Rhizome' : 'RSKj'}, traces ${servesTraces ? 'there' : 'here'}`
        await begin(isOurs, servesTraces)
        proxy.target = other.url
        t.match(await outcome(ask(method, params)), REORGANISED, name)
        proxy.target = one.url
        reads += 1
        const unread = `0x${(0xabc0000 + reads).toString(16).padStart(40, '0')}`
        t.match(await outcome(ask('eth_getBalance', [unread, 'latest'])), REORGANISED, 'for all threads')
        // The same block begins a new fork where the upstream had left it.
        await begin(isOurs, servesTraces)
        // What was executed here is of the branch for ever.
        if (servesTraces)
          t.equal(await outcome(ask(method, params)), await outcome(askOne(method, params)), name)
      }
    }
  }
})

t.test(
  'an old block of another branch is no old block, also of an upstream that is asked by hash',
  async (t) => {
    const { proxy, chain, head, askOne, other } = await openBranches(t)
    const node = await createNode({
      fork: { url: proxy.url, block: head },
      config: { forkCache: join(testFolder(t), 'answers') },
    })
    t.teardown(() => node.stop())
    const ask = asking(node.url)
    const read = (depth: number) =>
      ask('eth_call', [
        { to: chain.hashes, data: `0x${word(depth)}` },
        'latest',
        // PUSH1 0, CALLDATALOAD, NUMBER, SUB, BLOCKHASH, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
        { [chain.hashes]: { code: '0x600035430340600052602060 00f3'.replaceAll(' ', '') } },
      ])
    const { hash } = await askOne<Block>('eth_getBlockByNumber', [number(head - 25), false])
    t.equal(await read(25), hash)
    // Everything else that the call reads is here by now.
    proxy.target = other.url
    await t.rejects(read(5), REORGANISED)
    t.equal(await read(25), hash, 'what was read is of the branch')
  },
)
