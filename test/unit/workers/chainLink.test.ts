import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { RpcError } from '../../../src/rpc/errors.ts'
import { type ChainService, createChainLink, serveChainLink } from '../../../src/workers/chainLink.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl'))
const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const reader = chain.readerAt(HEAD)
const block = reader.blockByHash(reader.hashByNumber(6) ?? HEAD)
if (block === null) throw new Error('no block 6')
const [transaction] = block.transactions
const [sender] = reader.senders(block)
if (transaction === undefined || sender === undefined) throw new Error('no transaction in block 6')

/** A chain thread that knows one block's transactions as pending ones. */
const service: ChainService = {
  pendingTransaction: (hash) =>
    transaction.hash.equals(hash) ? { encoded: transaction.encoded, sender } : null,
  nextNonce: (address) => (sender.equals(address) ? 7n : null),
  pendingTransactions: () => [{ encoded: transaction.encoded, sender }],
  queuedTransactions: () => [],
  quotaBalance: (address) => (sender.equals(address) ? { available: 1.5, at: 9 } : null),
  pendingBlock: () => ({
    block: block.encoded,
    forkDetectionData: Buffer.alloc(0),
    senders: [sender],
    receipts: [],
  }),
  probe: () => undefined,
  sendTransaction: (encoded) =>
    encoded.length === 0
      ? { status: 'refused', reason: 'transaction nonce too low', stats: { nonce: 2n, accountNonce: 3n } }
      : { status: 'accepted', hash: transaction.hash },
  mine: async () => {
    throw new Error('mining is switched off')
  },
  snapshot: () => 1,
  revert: (id) => id === 1n,
  reset: async () => undefined,
  increaseTime: (seconds) => seconds,
  setNextBlockTimestamp: () => {
    throw new RpcError('invalidParams', 'time 5 is not after the parent', { data: { timestamp: 5 } })
  },
  setTimestampInterval: (seconds) => seconds === null,
  adjustBlocks: () => undefined,
  dropTransactions: ({ hash }) => hash !== undefined,
  dumpState: () => Buffer.from([1]),
  loadState: () => undefined,
  instance: () => '0x01',
  mode: () => ({ instant: true, interval: 5 }),
  setAutomine: () => undefined,
  setInterval: () => undefined,
  setMining: () => undefined,
  editAccount: ({ address, balance }) => {
    if (address.length !== 20 || balance !== 7n) throw new Error('another edit')
  },
  importBlock: (encoded) => Buffer.from(encoded).reverse(),
  sendImpersonated: () => ({ status: 'accepted', hash: transaction.hash }),
  work: () => ({
    serial: 1,
    hashForMergedMining: HEAD,
    target: Buffer.alloc(32, 0x55),
    fees: 5n,
    notify: true,
    parentHash: block.hash,
    timestamp: 1_700_000_000,
  }),
  submitSolution: ({ kind }) =>
    kind === 'block' ? { status: 'malformed' } : { status: 'refused', reason: 'not the form expected' },
  submitTemplate: ({ work }) => ({ status: 'imported', word: 'IMPORTED_BEST', hash: work, number: 7 }),
}

t.test('mining from outside crosses threads', async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  serveChainLink(port2, service)
  const { mining } = createChainLink(port1, chain.spec)
  const work = await mining.work()
  t.ok(Buffer.isBuffer(work.hashForMergedMining) && Buffer.isBuffer(work.target))
  t.ok(work.parentHash.equals(block.hash))
  t.match(work, { fees: 5n, notify: true, timestamp: 1_700_000_000 })
  t.same(await mining.submit({ kind: 'block', block: '00' }), { status: 'malformed' })
  const outcome = await mining.submitTemplate({ nonce: Buffer.alloc(8), work: HEAD, seed: HEAD })
  t.same(outcome, { status: 'imported', word: 'IMPORTED_BEST', hash: HEAD, number: 7 })
  t.ok(outcome.status === 'imported' && Buffer.isBuffer(outcome.hash))
})

t.test('another thread reaches pool and writer through a port', async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  serveChainLink(port2, service)
  const { pool, commands } = createChainLink(port1, chain.spec)
  const pooled = await pool.transaction(transaction.hash)
  t.same(pooled?.transaction.hash, transaction.hash)
  t.same(pooled?.sender, sender)
  t.equal(await pool.transaction(Buffer.alloc(32)), null)
  t.equal(await pool.nextNonce(sender), 7n)
  t.equal(await pool.nextNonce(Buffer.alloc(20)), null)
  t.equal((await pool.pending()).length, 1)
  t.same(await pool.quota(sender), { available: 1.5, at: 9 })
  t.equal(await pool.quota(Buffer.alloc(20)), null)
  t.same((await pool.block()).block.hash, block.hash)
  t.same(await commands.sendTransaction(transaction.encoded), { status: 'accepted', hash: transaction.hash })
  t.same(await commands.sendTransaction(Buffer.alloc(0)), {
    status: 'refused',
    reason: 'transaction nonce too low',
    stats: { nonce: 2n, accountNonce: 3n },
  })
  await t.rejects(commands.mine(), { code: 'CHAIN_LINK', message: 'mining is switched off' })
  t.equal(await commands.dev.snapshot(), 1)
  t.equal(await commands.dev.revert(1n), true)
  t.equal(await commands.dev.revert(2n), false)
  t.equal(await commands.dev.increaseTime(9), 9)
  await commands.dev.editAccount({ address: Buffer.alloc(20), balance: 7n })
  t.same(await commands.dev.sendImpersonated(transaction.encoded), {
    status: 'accepted',
    hash: transaction.hash,
  })
  await t.rejects(commands.dev.setNextBlockTimestamp(5), {
    kind: 'invalidParams',
    message: 'time 5 is not after the parent',
    data: { timestamp: 5 },
  })
})

t.test('nobody waits for a chain thread that has ended', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const { commands } = createChainLink(port1, chain.spec)
  const mined = commands.mine()
  port2.close()
  await t.rejects(mined, { code: 'CHAIN_LINK' })
})
