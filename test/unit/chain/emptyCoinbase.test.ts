import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkChain } from '../../../src/chain/check/checkChain.ts'
import type { Block } from '../../../src/chain/codec/block.ts'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import type { OpenChain } from '../../../src/execution/openChain.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import { EVENT_TEXTS } from '../../../src/rpc/format/eventTexts.ts'
import { bytesToBigInt, EMPTY_BYTES, toHex } from '../../../src/util/bytes.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService } from '../../support/ask.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'
import { makeSnapshot, openRestored } from '../../support/snapshots.ts'
import { SyncScene, until } from '../../support/syncScene.ts'
import { testFolder } from '../../support/testFolder.ts'

// A header may have no coinbase: RLP 80 in its place. The network goes on, and so has every part of this node.

const ZERO_ADDRESS = Buffer.alloc(20)
const ANYBODY = Buffer.alloc(20, 9)
const REMASC = '0x0000000000000000000000000000000001000008'
/** Blocks until the fees of some have matured (consensus.md §1.1). */
const BLOCKS = 24

/** A chain whose blocks pay fees and have this miner, and name uncles of the same. */
function makeChain(t: Test, coinbase: Buffer): { maker: BlockMaker; blocks: Block[] } {
  const maker = new BlockMaker(t, REGTEST, true)
  const blocks = [maker.genesis]
  for (let number = 1; number <= BLOCKS; number += 1) {
    const parent = blocks.at(-1)
    if (parent === undefined) throw new Error('no parent')
    const transaction = signedTransaction({
      nonce: BigInt(number - 1),
      gasPrice: 1_000n,
      value: 0n,
      to: COW.address,
    })
    const transactions = [{ transaction, sender: COW.address }]
    blocks.push(...maker.extend(parent, 1, { coinbase, transactions }))
    if (number % 3 === 0) maker.extend(parent, 1, { coinbase, label: 'side' })
  }
  return { maker, blocks }
}

const { maker, blocks } = makeChain(t, EMPTY_BYTES)
const [, first] = blocks
const tip = blocks.at(-1) as Block
if (first === undefined) throw new Error('no blocks')

function balance({ open }: BlockMaker, block: Block, account: Buffer): bigint {
  const found = open.stateStore.account(block.header.fields.stateRoot, account)
  return found === null ? -1n : bytesToBigInt(found.balance)
}

/** What `check` finds. */
function problemsOf({ environment, stateStore }: OpenChain) {
  const states = createStateChecker(REGTEST, stateStore)
  return checkChain({ spec: REGTEST, environment, stateBlocks: BLOCKS, full: true, states }).problems
}

t.test('the encoding has no bytes there', (t) => {
  t.same(first.header.fields.coinbase, EMPTY_BYTES)
  t.same(parseBlock(REGTEST, first.encoded).encoded, first.encoded)
  t.ok(blocks.some(({ uncles }) => uncles.some(({ fields }) => fields.coinbase.length === 0)))
  t.end()
})

t.test('rewards go to an account that is not the zero address, as much as to any miner', (t) => {
  const other = makeChain(t, ANYBODY)
  t.equal(tip.number, BLOCKS)
  t.ok(balance(maker, tip, EMPTY_BYTES) > 0n)
  t.equal(balance(maker, tip, EMPTY_BYTES), balance(other.maker, other.blocks.at(-1) as Block, ANYBODY))
  t.equal(balance(maker, tip, ZERO_ADDRESS), -1n)
  t.end()
})

t.test('another node imports the chain, and reads it after a restart', async (t) => {
  const opened = openTestChain(t)
  for (const block of blocks.slice(1))
    t.equal(opened.chain.connect(parseBlock(REGTEST, block.encoded)).status, 'IMPORTED_BEST')
  await opened.close()
  const again = openTestChain(t, { dataDir: opened.dataDir })
  t.same(again.chain.reader.blockByHash(tip.hash)?.encoded, tip.encoded)
  t.equal(again.chain.head.hashHex, tip.hashHex)
  const [next] = maker.extend(tip, 1, { coinbase: EMPTY_BYTES, label: 'next' })
  t.equal(again.chain.connect(next as Block).status, 'IMPORTED_BEST', 'ancestors are read')
  t.same(problemsOf(again), [])
})

t.test('a peer with the chain is followed', async (t) => {
  for (const options of [{}, { ranges: true }, { snap: true }]) {
    const scene = new SyncScene(t, REGTEST)
    const peer = scene.add(blocks, options)
    await until(() => scene.isAt(tip))
    t.same(peer.scores, [])
  }
})

t.test('a snapshot of the chain is restored', async (t) => {
  const source = openTestChain(t)
  source.chain.connectAll(blocks.slice(1))
  const folder = join(testFolder(t), 'snapshot')
  await makeSnapshot({ spec: REGTEST, dataDir: source.dataDir, folder })
  const { chain } = await openRestored(t, REGTEST, folder, join(testFolder(t), 'restored'))
  t.equal(chain.head.hashHex, tip.hashHex)
  const [next] = maker.extend(tip, 1, { coinbase: EMPTY_BYTES, label: 'after a snapshot' })
  t.equal(chain.connect(next as Block).status, 'IMPORTED_BEST')
})

t.test('JSON-RPC shows the blocks as the reference does', async (t) => {
  const opened = openTestChain(t)
  opened.chain.connectAll(blocks.slice(1))
  await opened.close()
  const node = openLocalNode(t, { dataDir: opened.dataDir, modules: ['eth', 'debug', 'trace', 'rsk', 'mnr'] })
  const interrupt = { flags: new Int32Array(new InterruptTable().shared), slot: 0 }
  const service = createLocalService(
    { ...node.context, interrupt },
    {
      onUnexpected: (method, error) => t.fail(`${method}: ${error instanceof Error ? error.stack : error}`),
    },
  )
  t.teardown(() => service.close())
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(text)
    t.equal(error, undefined, method)
    return result
  }
  const number = `0x${tip.number.toString(16)}`
  t.match(await ask('eth_getBlockByNumber', number, true), { miner: '0x' })
  t.match(await ask('eth_getBlockByHash', toHex(tip.hash), false), { miner: '0x' })
  const nephew = blocks.find(({ uncles }) => uncles.length > 0) as Block
  t.match(await ask('eth_getUncleByBlockHashAndIndex', toHex(nephew.hash), '0x0'), { miner: '0x' })
  t.match(JSON.parse(EVENT_TEXTS.header(tip.header)), { miner: '0x00' })
  // COINBASE, returned.
  const code = { [toHex(ANYBODY)]: { code: '0x415f5260205ff3' } }
  t.equal(await ask('eth_call', { to: toHex(ANYBODY) }, number, code), `0x${'00'.repeat(32)}`)
  // getCoinbaseAddress of BlockHeader: no bytes, in the words that the reference writes for none.
  const data = `0x243e7d36${'00'.repeat(32)}`
  const answer = await ask('eth_call', { to: '0x0000000000000000000000000000000001000010', data }, number)
  t.equal(answer, `0x${'20'.padStart(64, '0')}${'00'.repeat(64)}`)
  const traced = (await ask('trace_block', number)) as { action: { from: string; to: string } }[]
  const paid = traced.filter(({ action }) => action.from === REMASC).map(({ action }) => action.to)
  t.ok(paid.includes(toHex(ZERO_ADDRESS)), 'a payment to no address shows zero')
  t.ok(await ask('debug_traceBlockByHash', toHex(tip.hash)))
  t.ok(await ask('rsk_getRawBlockHeaderByHash', toHex(tip.hash)))
  t.match(await ask('eth_getBlockReceipts', number), [{ status: '0x1' }, { logs: [] }])
  t.match(await ask('mnr_getWork'), { parentBlockHash: toHex(tip.hash) })
  await node.core.mine()
  t.equal(node.core.open.chain.head.number, tip.number + 1)
})
