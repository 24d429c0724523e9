import t, { type Test } from 'tap'
import { blockKey } from '../../../src/chain/tables/blockKey.ts'
import { writeHistory } from '../../../src/chain/tables/metadata.ts'
import { DEFAULT_EVENT_LIMITS, FrontEvents } from '../../../src/filters/frontEvents.ts'
import type { ChainReader } from '../../../src/rpc/context.ts'
import type { MethodDefinition } from '../../../src/rpc/defineMethod.ts'
import { EVENT_TEXTS } from '../../../src/rpc/format/eventTexts.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { createLocalService } from '../../support/ask.ts'
import { SyntheticChain, testLog } from '../../support/syntheticChain.ts'

const OLD = 2
const FIRST_RECEIPTS = 4
const HEAD = 6
const NOT_KEPT = {
  code: 4444,
  message: `pruned history unavailable: the receipts of block ${OLD} are not kept, this node keeps receipts from block ${FIRST_RECEIPTS}`,
}

const chain = new SyntheticChain(t)
const blocks = chain.append(Array.from({ length: HEAD }, () => [[testLog(1, [1])]]))
const old = blocks[OLD - 1] as (typeof blocks)[0]
const blockHash = toHex(old.hash)
const transactionHash = toHex((old.transactions[0] as (typeof old.transactions)[0]).hash)
const number = `0x${OLD.toString(16)}`

/** What stands for a parameter of a name: each of these reaches the old block. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  block: [number, blockHash, { blockHash }],
  blockHash: [blockHash],
  transactionHash: [transactionHash],
  filter: [
    { fromBlock: number, toBlock: number },
    { fromBlock: number, toBlock: 'latest' },
    { blockHash },
    // The bloom excludes the block, and with receipts the answer would be empty.
    { blockHash, address: toHex(Buffer.alloc(20, 9)) },
  ],
  number: [String(OLD)],
  index: ['0x0'],
  fullTransactions: [true],
  positions: [['0x0']],
  traceTypes: [['trace']],
}

/** Methods that clients can ask for receipts, or for what is in them alone. */
const OF_RECEIPTS = [
  'debug_getRawReceipts',
  'eth_getBlockReceipts',
  'eth_getLogs',
  'eth_getTransactionReceipt',
  'rsk_getRawTransactionReceiptByHash',
  'rsk_getTransactionReceiptNodesByHash',
]

function paramsOf({ params }: MethodDefinition): unknown[][] {
  const end = params.findIndex(({ name }) => VALUES[name] === undefined)
  const known = (end < 0 ? params : params.slice(0, end)).map(({ name }) => VALUES[name] ?? [])
  const [first = [], ...rest] = known
  return first.map((value) => [value, ...rest.map(([only]) => only)])
}

function open(t: Test) {
  const context = chain.context()
  const touched = { receipts: false }
  const spied = context.chain as { -readonly [K in keyof ChainReader]: ChainReader[K] }
  for (const name of ['receipts', 'storedReceipts', 'copyStored', 'logHeights'] as const) {
    const read = spied[name].bind(spied) as (...args: never[]) => never
    spied[name] = ((...args: never[]) => {
      touched.receipts = true
      return read(...args)
    }) as never
  }
  const front = new FrontEvents(context, EVENT_TEXTS, DEFAULT_EVENT_LIMITS)
  const service = createLocalService({ ...context, front }, { responseCacheBytes: 0 })
  t.teardown(() => service.close())
  const ask = async (method: string, params: readonly unknown[]) => {
    touched.receipts = false
    const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return { ...(JSON.parse(text) as { result?: unknown; error?: unknown }), touched: touched.receipts }
  }
  return { ask, reader: context.chain }
}

t.test('below the first receipts every method of the catalogue that reads them says so', async (t) => {
  const asked: { readonly name: string; readonly params: unknown[] }[] = []
  const whole = open(t)
  for (const method of METHODS.filter(({ audience }) => audience !== 'internal')) {
    for (const params of paramsOf(method)) {
      const answer = await whole.ask(method.name, params)
      if (answer.touched || OF_RECEIPTS.includes(method.name)) {
        t.not(answer.result ?? null, null, `${method.name} ${JSON.stringify(params)} has an answer`)
        asked.push({ name: method.name, params })
      }
    }
  }
  t.same([...new Set(asked.map(({ name }) => name))].sort(), OF_RECEIPTS, 'these read receipts')

  chain.environment.transaction((writer) => {
    writeHistory(writer, { firstBlock: 0, firstReceipts: FIRST_RECEIPTS, firstState: HEAD })
    for (const block of blocks.slice(0, FIRST_RECEIPTS - 1)) writer.remove('receipts', blockKey(block))
  })
  const filled = open(t)
  for (const { name, params } of asked) {
    const { error } = await filled.ask(name, params)
    t.match(error, NOT_KEPT, `${name} ${JSON.stringify(params)}`)
  }
  for (const fromBlock of ['0x0', 'earliest', '0x1']) {
    const { error } = await filled.ask('eth_getLogs', [{ fromBlock, toBlock: 'latest' }])
    t.match(error, { code: 4444, message: /the receipts of block 1 are not kept/ }, fromBlock)
  }
  t.match(await filled.ask('eth_newFilter', [{ fromBlock: number }]), { error: NOT_KEPT })

  t.throws(() => filled.reader.storedReceipts(old), NOT_KEPT.message)
  t.throws(() => filled.reader.receipts(old), NOT_KEPT.message)
  t.throws(() => filled.reader.copyStored('receipts', blockKey(old), Buffer.alloc(0), 0), {
    message: NOT_KEPT.message,
  })

  // What is there is answered as ever, and so is what was never there.
  t.match(
    (await filled.ask('eth_getLogs', [{ fromBlock: `0x${FIRST_RECEIPTS}`, toBlock: 'latest' }])).result,
    {
      length: HEAD - FIRST_RECEIPTS + 1,
    },
  )
  t.same((await filled.ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x0' }])).result, [])
  const unknown = `0x${'77'.repeat(32)}`
  t.equal((await filled.ask('eth_getTransactionReceipt', [unknown])).result, null)
  t.equal((await filled.ask('rsk_getTransactionReceiptNodesByHash', [blockHash, unknown])).result, null)
  t.equal((await filled.ask('eth_getBlockReceipts', [unknown])).result, null)
  t.match((await filled.ask('eth_getTransactionByHash', [transactionHash])).result, { blockHash })
  t.match((await filled.ask('eth_getBlockByNumber', [number, true])).result, { hash: blockHash })
})
