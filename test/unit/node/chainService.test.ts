import t from 'tap'
import { createPoolReader, type EncodedPool } from '../../../src/node/chainThread/chainService.ts'
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

const encoded = { hash: transaction.hash, encoded: transaction.encoded, sender }

/** A pool that has one transaction, encoded as it crosses threads. */
const encodedPool: EncodedPool = {
  pooledTransaction: async (hash) => (transaction.hash.equals(hash) ? encoded : null),
  isPending: async (hash) => transaction.hash.equals(hash),
  nextNonce: async (address) => (sender.equals(address) ? 7n : null),
  pendingTransactions: async () => [encoded],
  queuedTransactions: async () => [],
  quota: async (address) => (sender.equals(address) ? { available: 1.5, at: 9 } : null),
  pendingBlock: async () => ({
    block: block.encoded,
    forkDetectionData: Buffer.alloc(0),
    senders: [sender],
    receipts: [],
  }),
}

t.test('the pool of another thread', async (t) => {
  const pool = createPoolReader(encodedPool, chain.spec)
  t.same(await pool.transaction(transaction.hash), encoded)
  t.equal(await pool.transaction(Buffer.alloc(32)), null)
  t.equal(await pool.isPending(transaction.hash), true)
  t.equal(await pool.nextNonce(sender), 7n)
  t.equal(await pool.nextNonce(Buffer.alloc(20)), null)
  t.same(await pool.pending(), [encoded])
  t.same(await pool.queued(), [])
  t.same(await pool.quota(sender), { available: 1.5, at: 9 })
  const pending = await pool.block()
  t.same(pending.block.hash, block.hash)
  t.same(pending.senders, [sender])
})
