import { Agent, request as httpRequest } from 'node:http'
import t, { type Test } from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { startNode } from '../support/nodeProcess.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { TestBuild } from '../support/testBuild.ts'

/** Each command so often, and after each its reads on two connections. */
const ROUNDS = 50

/** What the chain thread says of what happened comes after its answers. */
const WITHOUT_ORDER = {
  file: 'node/chainThread/chainThread.ts',
  find: '  sendEvent = serve<ChainService, ChainEvent>(front, host.service)',
  replace: `  const late = serve<ChainService, ChainEvent>(front, host.service)
  sendEvent = (event) => void setTimeout(late, 50, event)`,
}

/** The same of the chain in the front thread. */
const WITHOUT_ORDER_HERE = {
  file: 'node/chainThread/chainHere.ts',
  find: '  const later = inOrder()',
  replace: '  const later = (action: () => void) => void setTimeout(action, 50)\n  void inOrder',
}

type Ask = <T>(method: string, ...params: unknown[]) => Promise<T>

interface Connection {
  readonly ask: Ask
  close(): void
}

/** A connection that stays open. */
function connect(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = <T>(method: string, ...params: unknown[]) =>
    new Promise<T>((resolve, reject) => {
      const options = { agent, method: 'POST', headers: { 'content-type': 'application/json' } }
      const sent = httpRequest(url, options, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => {
          const { result, error } = JSON.parse(text) as { result: T; error?: { message: string } }
          if (error === undefined) resolve(result)
          else reject(new Error(`${method}: ${error.message}`))
        })
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    })
  return { ask, close: () => agent.destroy() }
}

/** What a read answers after a command. */
interface Read {
  readonly method: string
  readonly params?: readonly unknown[]
  readonly shows: unknown
}

/** A command: does it, and says what whoever has its answer must read. */
interface Command {
  readonly name: string
  /** Whether the front thread has cached what is read. */
  readonly isCached: boolean
  run(ask: Ask, round: number): Promise<readonly Read[]>
}

const ACCOUNT = toHex(Buffer.alloc(20, 0xac))
const quantity = (number: number | bigint) => `0x${number.toString(16)}`
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const height = async (ask: Ask) => Number(await ask<string>('eth_blockNumber'))
const atHeight = (number: number): Read[] => [
  { method: 'eth_blockNumber', shows: quantity(number) },
  { method: 'eth_getBlockTransactionCountByNumber', params: [quantity(number)], shows: '0x1' },
]
/** Any block so high has the reward transaction and what it was sent. */
const atSend = (number: number): Read[] => [
  { method: 'eth_blockNumber', shows: quantity(number) },
  { method: 'eth_getBlockTransactionCountByNumber', params: ['latest'], shows: '0x2' },
]
const poolHas = (pending: number): Read => ({
  method: 'txpool_status',
  shows: { pending, queued: 0 },
})
const nonceOf = async (ask: Ask) =>
  BigInt(await ask<string>('eth_getTransactionCount', toHex(COW.address), 'latest'))
const send = async (ask: Ask, nonce: bigint, to: Buffer) => {
  const transaction = signedTransaction({ nonce, to, value: 5n })
  await ask('eth_sendRawTransaction', toHex(transaction.encoded))
  return toHex(transaction.hash)
}
const receiver = (round: number) => Buffer.alloc(20, 0x40 + round)

const COMMANDS: readonly Command[] = [
  {
    name: 'eth_sendRawTransaction',
    isCached: true,
    run: async (ask, round) => {
      const [number, nonce] = [await height(ask), await nonceOf(ask)]
      const before = BigInt(await ask<string>('eth_getBalance', toHex(receiver(round)), 'latest'))
      await send(ask, nonce, receiver(round))
      const counts = ['latest', 'pending'].map((tag) => ({
        method: 'eth_getTransactionCount',
        params: [toHex(COW.address), tag],
        shows: quantity(nonce + 1n),
      }))
      return [
        ...atSend(number + 1),
        ...counts,
        poolHas(0),
        {
          method: 'eth_getBalance',
          params: [toHex(receiver(round)), 'latest'],
          shows: quantity(before + 5n),
        },
      ]
    },
  },
  {
    name: 'evm_mine',
    isCached: true,
    run: async (ask) => {
      const number = await height(ask)
      await ask('evm_mine')
      return atHeight(number + 1)
    },
  },
  {
    name: 'hardhat_mine',
    isCached: true,
    run: async (ask) => {
      const number = await height(ask)
      await ask('hardhat_mine', '0x3')
      return atHeight(number + 3)
    },
  },
  {
    name: 'evm_revert',
    isCached: true,
    run: async (ask) => {
      const number = await height(ask)
      const id = await ask('evm_snapshot')
      await ask('evm_mine')
      await ask('eth_blockNumber')
      await ask('evm_revert', id)
      return atHeight(number)
    },
  },
  {
    name: 'evm_importRawBlock',
    isCached: true,
    run: async (ask) => {
      const number = await height(ask)
      const id = await ask('evm_snapshot')
      await ask('evm_mine')
      const raw = await ask('debug_getRawBlock', 'latest')
      await ask('evm_revert', id)
      await ask('eth_blockNumber')
      await ask('evm_importRawBlock', raw)
      return atHeight(number + 1)
    },
  },
  {
    name: 'hardhat_setBalance',
    isCached: true,
    run: async (ask, round) => {
      await ask('hardhat_setBalance', ACCOUNT, quantity(round + 1))
      return [{ method: 'eth_getBalance', params: [ACCOUNT, 'latest'], shows: quantity(round + 1) }]
    },
  },
  {
    name: 'hardhat_setNonce',
    isCached: true,
    run: async (ask, round) => {
      await ask('hardhat_setNonce', ACCOUNT, quantity(round + 1))
      return [{ method: 'eth_getTransactionCount', params: [ACCOUNT, 'latest'], shows: quantity(round + 1) }]
    },
  },
  {
    name: 'hardhat_setCode',
    isCached: true,
    run: async (ask, round) => {
      const code = `0x60${round.toString(16).padStart(2, '0')}5f5260205ff3`
      await ask('hardhat_setCode', ACCOUNT, code)
      return [
        { method: 'eth_call', params: [{ to: ACCOUNT }, 'latest'], shows: word(round) },
        { method: 'eth_getCode', params: [ACCOUNT, 'latest'], shows: code },
      ]
    },
  },
  {
    name: 'hardhat_setStorageAt',
    isCached: true,
    run: async (ask, round) => {
      await ask('hardhat_setStorageAt', ACCOUNT, '0x1', word(round + 1))
      return [{ method: 'eth_getStorageAt', params: [ACCOUNT, '0x1', 'latest'], shows: word(round + 1) }]
    },
  },
  {
    name: 'hardhat_setCoinbase',
    isCached: true,
    run: async (ask, round) => {
      const coinbase = toHex(Buffer.alloc(20, round + 1))
      await ask('hardhat_setCoinbase', coinbase)
      return [{ method: 'eth_coinbase', shows: coinbase }]
    },
  },
  {
    name: 'evm_setNextBlockTimestamp',
    isCached: false,
    run: async (ask) => {
      const { timestamp } = await ask<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      const next = quantity(Number(timestamp) + 40)
      await ask('evm_setNextBlockTimestamp', next)
      return [{ method: 'eth_getBlockByNumber', params: ['pending', false], shows: { timestamp: next } }]
    },
  },
  {
    name: 'evm_setIntervalMining and evm_setAutomine',
    isCached: true,
    run: async (ask, round) => {
      // Longer than the test.
      const isOn = round % 2 === 1
      await ask('evm_setAutomine', false)
      await ask('evm_setIntervalMining', isOn ? 3_600_000 : 0)
      return [{ method: 'eth_mining', shows: isOn }]
    },
  },
  {
    name: 'eth_sendRawTransaction without a block, and hardhat_dropTransaction',
    isCached: false,
    run: async (ask, round) => {
      await ask('evm_setIntervalMining', 0)
      await ask('evm_setAutomine', false)
      const nonce = await nonceOf(ask)
      const hash = await send(ask, nonce, receiver(round))
      const count = (shows: bigint) => ({
        method: 'eth_getTransactionCount',
        params: [toHex(COW.address), 'pending'],
        shows: quantity(shows),
      })
      if (round % 2 === 0) {
        const reads = [poolHas(1), count(nonce + 1n)]
        // Gone before the next round.
        await expectReads(ask, reads)
        await ask('hardhat_dropTransaction', hash)
        return [poolHas(0), count(nonce)]
      }
      const number = await height(ask)
      await ask('evm_setAutomine', true)
      return [poolHas(0), count(nonce + 1n), ...atSend(number + 1)]
    },
  },
  {
    name: 'hardhat_reset',
    isCached: true,
    run: async (ask) => {
      await ask('evm_mine')
      await ask('eth_blockNumber')
      await ask('hardhat_reset')
      return [
        { method: 'eth_blockNumber', shows: '0x0' },
        { method: 'eth_getTransactionCount', params: [toHex(COW.address), 'latest'], shows: '0x0' },
      ]
    },
  },
  {
    name: 'anvil_loadState',
    isCached: true,
    run: async (ask) => {
      const number = await height(ask)
      const dump = await ask('anvil_dumpState')
      await ask('evm_mine')
      await ask('eth_blockNumber')
      await ask('anvil_loadState', dump)
      return [{ method: 'eth_blockNumber', shows: quantity(number) }]
    },
  },
]

/** @throws Error for a read that does not show what it must */
async function expectReads(ask: Ask, reads: readonly Read[]): Promise<void> {
  // All at once: the first is sent before anything else can happen.
  await Promise.all(
    reads.map(async ({ method, params = [], shows }) => {
      const answer = await ask(method, ...params)
      if (!holds(answer, shows)) throw new Error(`${method}: ${JSON.stringify(answer).slice(0, 100)}`)
    }),
  )
}

/** Whether an answer is, or has, what is to be shown. */
function holds(answer: unknown, shows: unknown): boolean {
  if (typeof shows !== 'object' || shows === null) return answer === shows
  const fields = answer as Record<string, unknown>
  return Object.entries(shows).every(([key, value]) => fields[key] === value)
}

/** Stale answers by command. */
async function countStale(
  t: Test,
  { dataDir, program, args }: { dataDir: string; program: string; args: readonly string[] },
): Promise<Map<string, string[]>> {
  const node = await startNode({
    dataDir,
    program,
    args: ['--workers', '1', '--log-level', 'error', ...args],
  })
  t.teardown(() => node.stop())
  const [one, two] = [connect(node.url), connect(node.url)]
  const stale = new Map<string, string[]>()
  for (const { name, run } of COMMANDS) {
    const found: string[] = []
    // What the last command left behind: blocks are made of what is sent.
    await one.ask('evm_setIntervalMining', 0)
    await one.ask('evm_setAutomine', true)
    for (let round = 0; round < ROUNDS; round += 1) {
      try {
        const reads = await run(one.ask, round)
        await Promise.all([expectReads(one.ask, reads), expectReads(two.ask, reads)])
      } catch (error) {
        // Commands that go by what they read fail of stale reads, too.
        found.push(error instanceof Error ? error.message : String(error))
      }
    }
    stale.set(name, found)
  }
  for (const { close } of [one, two]) close()
  await node.stop()
  return stale
}

t.test('who has the answer to a command reads what it did', async (t) => {
  const build = await TestBuild.create()
  t.teardown(() => build.remove())
  for (const { kind, args, late } of [
    { kind: 'a chain in its thread', args: ['--peers', '--no-p2p-listen'], late: WITHOUT_ORDER },
    { kind: 'a chain on disk in the front thread', args: [], late: WITHOUT_ORDER_HERE },
    { kind: 'a chain in memory', args: ['--in-memory'], late: WITHOUT_ORDER_HERE },
  ]) {
    const chain = (t: Test, program: string) => ({ dataDir: `${t.testdir()}/data`, program, args })
    await t.test(`on the same connection and on another one, ${kind}`, async (t) => {
      const stale = await countStale(t, chain(t, await build.program()))
      for (const [name, found] of stale) t.same(found, [], name)
    })
    await t.test(`which the order of events and answers brings about, ${kind}`, async (t) => {
      const stale = await countStale(t, chain(t, await build.program(`late ${args.length}`, [late])))
      for (const { name, isCached } of COMMANDS) if (isCached) t.not(stale.get(name)?.length, 0, name)
    })
  }
})
