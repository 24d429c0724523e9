import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkChain } from '../../../src/chain/check/checkChain.ts'
import type { PrunedStates } from '../../../src/chain/statePruning.ts'
import { readHistory, writeHistory } from '../../../src/chain/tables/metadata.ts'
import type { PrunedValues } from '../../../src/chain/valuePruning.ts'
import { STATE_FOLDER } from '../../../src/execution/chainFolders.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import { createSnapshot } from '../../../src/snapshot/createSnapshot.ts'
import { storedStates } from '../../../src/sync/serve/storedStates.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

const KEPT = 8

type Node = ReturnType<typeof open>

function open(t: Test, dataDir: string, proofs: number | null, history: number | null = null) {
  const pruned: PrunedStates[] = []
  const forgotten: PrunedValues[] = []
  const onPruned = (states: PrunedStates | PrunedValues) =>
    'firstValues' in states ? forgotten.push(states) : pruned.push(states)
  const node = openLocalNode(
    t,
    { dataDir, mining: false },
    { chain: { proofs, history }, listener: { onPruned } },
  )
  return { ...node, pruned, forgotten, chain: node.core.open.chain, stateStore: node.core.open.stateStore }
}

let nonce = 0n

/** Blocks with a transaction each; epochs are sealed and given up as they become due. */
async function grow({ core, stateStore }: Node, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    const { encoded } = signedTransaction({ nonce, value: 1n })
    nonce += 1n
    await core.sendTransaction(encoded)
    await core.mine({ count: 1 })
    stateStore.settleEpochs()
    stateStore.settleHistory()
  }
}

function check({ core }: Node) {
  return checkChain({
    spec: REGTEST,
    environment: core.open.environment,
    states: createStateChecker(REGTEST, core.open.stateStore),
    stateBlocks: 1_000,
    full: true,
  })
}

function asking(t: Test, { context }: Node) {
  const interrupt = { flags: new Int32Array(new InterruptTable().shared), slot: 0 }
  const onUnexpected = (method: string, error: unknown) => t.fail(`${method}: ${String(error)}`)
  // Without the store the gateway reads nothing by itself, which may be in memory still.
  const service = createLocalService({ ...context, interrupt }, { responseCacheBytes: 0, onUnexpected })
  t.teardown(() => service.close())
  return async (method: string, params: readonly unknown[]) => {
    const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } }
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`
const epochFiles = (dataDir: string) =>
  readdirSync(join(dataDir, STATE_FOLDER)).filter((name) => name.startsWith('nodes-'))

t.test(
  'tries of old blocks are given up, and what needs one says from where on there are some',
  async (t) => {
    nonce = 0n
    const dataDir = t.testdir()
    const node = open(t, dataDir, KEPT)
    await grow(node, 60)
    const { firstState } = node.chain.reader.history()
    const head = node.chain.head.number
    t.ok(firstState > 20 && firstState <= head - KEPT, `${firstState}`)
    t.equal(node.pruned.at(-1)?.firstState, firstState)
    t.ok(node.pruned.every(({ bytes }) => bytes > 0))
    const { logBytes, fileBytes, droppedBytes, fault } = node.stateStore.logStats()
    t.ok(droppedBytes > logBytes && fileBytes > 0, `${droppedBytes} ${logBytes}`)
    t.equal(fault, null)

    const ask = asking(t, node)
    const notKept = {
      error: { code: 4444, message: new RegExp(`this node keeps states from block ${firstState}$`) },
    }
    const { address } = STRANGER
    const to = `0x${address.toString('hex')}`
    for (const at of [hex(firstState - 1), hex(1)]) {
      t.match(await ask('eth_getProof', [to, ['0x0'], at]), notKept, `a proof at ${at}`)
      // Values are read where the changes of blocks are, which stay.
      t.same((await ask('eth_getBalance', [to, at])).result, at, `a balance at ${at}`)
      t.same((await ask('eth_call', [{ to }, at])).result, '0x', `a call at ${at}`)
      t.same((await ask('eth_estimateGas', [{ to }, at])).result, '0x5208', `an estimate at ${at}`)
      t.ok((await ask('debug_traceCall', [{ to }, at, {}])).result, `a trace at ${at}`)
    }
    t.match(await ask('debug_traceBlockByNumber', [hex(firstState - 1)]), { result: [{}] })
    t.match(await ask('debug_storageRangeAt', [hex(firstState - 1), 0, to, '0x0', 10]), notKept)
    for (let number = firstState; number <= head; number += 1) {
      t.same((await ask('eth_getBalance', [to, hex(number)])).result, hex(number), `block ${number}`)
      t.ok((await ask('eth_getProof', [to, [], hex(number)])).result)
    }
    t.match(await ask('debug_traceBlockByNumber', [hex(firstState + 1)]), { result: [{}] })

    // Peers that ask for such a state have no answer, as for one that was never here.
    const old = node.chain.reader.headerByNumber(firstState - 1)
    const served = storedStates(node.stateStore).source
    t.equal(old && served.size(old.fields.stateRoot), null)
    t.equal(old && (await served.chunk(old.fields.stateRoot, 0, 1 << 20)), null)
    t.ok(served.size(node.chain.head.fields.stateRoot))

    const report = check(node)
    t.same(report.problems, [])
    t.equal(report.states, head - firstState + 1)
    await node.close()

    // A disk that lost the newest commits of the chain store.
    for (const start of [1, 2]) {
      const again = open(t, dataDir, KEPT)
      t.equal(again.chain.reader.history().firstState, firstState, `start ${start}`)
      const { environment } = again.core.open
      environment.transaction((writer) => writeHistory(writer, { ...readHistory(writer), firstState: 1 }))
      await again.close()
    }
  },
)

t.test(
  'values of old blocks are given up, and what needs one says from where on there are some',
  async (t) => {
    nonce = 0n
    const dataDir = t.testdir()
    const node = open(t, dataDir, KEPT, 4 * KEPT)
    await grow(node, 100)
    const { firstState } = node.chain.reader.history()
    const head = node.chain.head.number
    const ask = asking(t, node)
    const { result } = (await ask('eth_capabilities', [])) as {
      result: Record<string, { oldestBlock: string }>
    }
    const first = Number(result['state']?.oldestBlock)
    // The table of the newest state, and the line with it, is up to sixteen blocks behind.
    t.ok(first <= head - 4 * KEPT && first >= head - 4 * KEPT - 16, `${first} of ${head}`)
    t.ok(first < firstState, `${firstState}`)
    t.match(result, {
      head: { number: hex(head), hash: `0x${node.chain.head.hashHex}` },
      stateproofs: { disabled: false, oldestBlock: hex(firstState) },
      blocks: { disabled: false, oldestBlock: '0x0' },
      receipts: { disabled: false, oldestBlock: '0x0' },
    })
    const { address } = STRANGER
    const to = `0x${address.toString('hex')}`
    const from = (number: number) => ({
      error: { code: 4444, message: new RegExp(`this node keeps states from block ${number}$`) },
    })
    for (const at of [first - 1, 1]) {
      t.match(await ask('eth_getBalance', [to, hex(at)]), from(first), `a balance at ${at}`)
      t.match(await ask('eth_call', [{ to }, hex(at)]), from(first), `a call at ${at}`)
      t.match(await ask('debug_traceCall', [{ to }, hex(at), {}]), from(first), `a trace at ${at}`)
      t.match(await ask('eth_getProof', [to, [], hex(at)]), from(first), `a proof at ${at}`)
    }
    t.match(await ask('debug_traceBlockByNumber', [hex(first)]), from(first))
    t.match(await ask('debug_traceBlockByNumber', [hex(first + 1)]), { result: [{}] })
    t.match(
      await ask('eth_getProof', [to, [], hex(first)]),
      from(firstState),
      'a proof where there are values',
    )
    for (let number = first; number <= head; number += 1)
      t.same((await ask('eth_getBalance', [to, hex(number)])).result, hex(number), `block ${number}`)
    t.same(check(node).problems, [])
    await node.close()

    // Without the option the rest stays; with a greater one it grows to that.
    const oldest = async (opened: Node) => {
      const answer = (await asking(t, opened)('eth_capabilities', [])) as { result: typeof result }
      return Number(answer.result['state']?.oldestBlock)
    }
    const archive = open(t, dataDir, KEPT)
    await grow(archive, 20)
    t.equal(await oldest(archive), first)
    t.same(check(archive).problems, [])
    await archive.close()
    const other = open(t, dataDir, KEPT, 8 * KEPT)
    await grow(other, 60)
    const later = other.chain.head.number - 8 * KEPT
    t.ok(
      (await oldest(other)) <= later && (await oldest(other)) >= later - 16,
      `${await oldest(other)} of ${later}`,
    )
    t.same(check(other).problems, [])
  },
)

t.test('it is said now and then that values were given up', async (t) => {
  nonce = 0n
  const node = open(t, t.testdir(), KEPT, KEPT)
  await grow(node, 330)
  t.equal(node.forgotten.length, 1)
  const [{ firstValues = 0 } = {}] = node.forgotten
  t.ok(firstValues >= 256 && firstValues <= 330 - KEPT, `${firstValues}`)
})

t.test('a snapshot is made of what is kept, and says so of the rest', async (t) => {
  nonce = 0n
  const dataDir = t.testdir({ data: {} })
  const node = open(t, join(dataDir, 'data'), KEPT)
  await grow(node, 40)
  const { firstState } = node.chain.reader.history()
  const make = (depth: number, full: boolean) =>
    createSnapshot({
      spec: REGTEST,
      dataDir: join(dataDir, 'data'),
      folder: join(dataDir, `snapshot-${depth}-${full}`),
      depth,
      blocks: null,
      full,
      program: 'test',
      created: new Date(0),
    })
  t.equal((await make(KEPT, false)).manifest.block.number, 40 - KEPT)
  await t.rejects(make(35, false), { message: new RegExp(`keeps states from block ${firstState}$`) })
  await t.rejects(make(1, true), { message: new RegExp(`keeps states from block ${firstState} only`) })
})

t.test('an archive becomes a pruned node and that one an archive', async (t) => {
  nonce = 0n
  const dataDir = t.testdir()
  const archive = open(t, dataDir, null)
  await grow(archive, 30)
  t.same(epochFiles(dataDir), [])
  t.equal(archive.chain.reader.history().firstState, 0)
  await archive.close()
  const pruned = open(t, dataDir, KEPT)
  await grow(pruned, 40)
  const { firstState } = pruned.chain.reader.history()
  t.ok(firstState > 30, `${firstState}`)
  t.not(epochFiles(dataDir).length, 0)
  await pruned.close()
  const again = open(t, dataDir, null)
  await grow(again, 30)
  t.equal(again.chain.reader.history().firstState, firstState)
  t.same(check(again).problems, [])
  await again.close()
  const other = open(t, dataDir, 2 * KEPT)
  await grow(other, 60)
  const next = other.chain.reader.history().firstState
  t.ok(next > firstState && next <= other.chain.head.number - 2 * KEPT, `${next}`)
  t.same(check(other).problems, [])
})

t.test('a reorganisation as deep as states are kept finds them', async (t) => {
  nonce = 0n
  const node = open(t, t.testdir(), KEPT)
  await grow(node, 40)
  const { number, hashHex } = node.chain.head
  await node.core.dev?.reorganise(KEPT, [])
  t.equal(node.chain.head.number, number)
  t.not(node.chain.head.hashHex, hashHex)
  t.same(check(node).problems, [])
  await t.rejects(node.core.dev?.reorganise(39, []) ?? Promise.resolve(), /not kept/)
})
