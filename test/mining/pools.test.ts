import { join } from 'node:path'
import t from 'tap'
import { NonceSearch } from '../../src/native/nonceSearch.ts'
import { BitcoinPool } from '../support/bitcoinPool.ts'
import { openTestChain, REGTEST } from '../support/openTestChain.ts'
import {
  bytesOf,
  openPoolNode,
  type PoolNode,
  type SubmitForm,
  type SubmitResult,
  submission,
} from '../support/poolNode.ts'
import { createRandom } from '../support/random.ts'
import { accountOfSeed, signedTransaction } from '../support/signedTransaction.ts'
import { canonicalBlocks, RemascModel } from './remascModel.ts'

const BLOCKS = 620
const FORMS: readonly SubmitForm[] = ['block', 'transactions', 'partialMerkle']
/** Every so many blocks both pools solve the same work. */
const RACE_EVERY = 4
const SEED = 20_261_121
const GWEI = 1_000_000_000n

/** Solves the newest work as `rhizome mine` does. */
async function mineTemplate(node: PoolNode): Promise<boolean> {
  const [hash = '', seed = '', target = ''] = (await node.ask('eth_getWork')).result as string[]
  const search = new NonceSearch(bytesOf(hash), bytesOf(target), bytesOf(seed).readUInt32BE(28))
  const nonce = await search.run(1)
  return (await node.ask('eth_submitWork', [`0x${nonce?.toString('hex')}`, hash, seed])).result as boolean
}

t.test(`two pools and a solo miner make ${BLOCKS} blocks that a fresh node imports`, async (t) => {
  const node = openPoolNode(t)
  const random = createRandom(SEED)
  const pools = [new BitcoinPool('/first/', random), new BitcoinPool('/second/', random)] as const
  const senders = Array.from({ length: 5 }, (_, index) => accountOfSeed(index === 0 ? 'cow' : `cow${index}`))
  const nonces = senders.map(() => 0n)
  const results = new Map<string, number>()
  const { chain } = node.core.open
  let calls = 0
  const submit = async (pool: BitcoinPool, hash: Buffer, target: bigint) => {
    const form = FORMS[calls % FORMS.length] ?? 'block'
    calls += 1
    const block = pool.mine(hash, target, 1 + Math.floor(random() * 9))
    const { result, error } = await node.ask(...submission(form, block))
    if (error !== undefined) throw new Error(`seed ${SEED}, ${form}: ${error.message}`)
    const word = bytesOf((result as SubmitResult).blockImportedResult).toString('latin1')
    results.set(word, (results.get(word) ?? 0) + 1)
  }

  while (chain.head.number < BLOCKS) {
    const { number } = chain.head
    if (number % 3 === 0) {
      const at = Math.floor(random() * senders.length)
      const from = senders[at]
      const nonce = nonces[at] ?? 0n
      if (from !== undefined) {
        await node.core.sendTransaction(signedTransaction({ from, nonce, gasPrice: GWEI }).encoded)
      }
      nonces[at] = nonce + 1n
    }
    if (number % 7 === 6) {
      t.ok(await mineTemplate(node), 'a solution of eth_getWork')
      continue
    }
    const work = await node.work()
    const hash = bytesOf(work.blockHashForMergedMining)
    const target = BigInt(work.target)
    await submit(pools[number % 2 === 0 ? 0 : 1], hash, target)
    // The slower pool's solution of the same work becomes an uncle.
    if (number % RACE_EVERY === 0) await submit(pools[number % 2 === 0 ? 1 : 0], hash, target)
  }
  t.ok((results.get('IMPORTED_NOT_BEST') ?? 0) + (results.get('IMPORTED_BEST') ?? 0) === calls)

  const blocks = canonicalBlocks(chain.reader)
  const uncles = blocks.reduce((sum, { header }) => sum + header.fields.uncleCount, 0)
  t.ok(uncles > BLOCKS / RACE_EVERY / 2, `${uncles} uncles`)
  t.ok(
    blocks.some(({ header }) => header.number > 449 && header.forkDetectionData().some((byte) => byte !== 0)),
  )
  t.ok(
    blocks.some(({ header }) => (header.fields.edges ?? []).length > 0),
    'parallel sublists',
  )

  const fresh = openTestChain(t, { dataDir: join(t.testdirName, 'fresh') })
  for (const block of blocks.slice(1)) {
    const { status } = fresh.chain.connect(block)
    if (status !== 'IMPORTED_BEST') t.fail(`block ${block.number}: ${status}`)
  }
  t.same(fresh.chain.head.hash, chain.head.hash)

  const federators = REGTEST.bridge.federation.genesisKeys.length
  const model = new RemascModel(REGTEST, federators, blocks)
  let paid = 0
  for (const block of blocks.slice(1)) {
    const expected = model.payments(block.number)
    const logs = fresh.chain.reader.receipts(block)?.at(-1)?.logs ?? []
    const found = logs.map(({ topics, data }) => ({ to: topics[1]?.subarray(12), value: paymentOf(data) }))
    const isEqual =
      found.length === expected.length &&
      expected.every(
        ({ to, value }, at) => found[at]?.value === value && (to === null || found[at]?.to?.equals(to)),
      )
    if (!isEqual) t.same(found, expected, `payments of block ${block.number}`)
    paid += expected.filter(({ value }) => value > 0n).length
  }
  t.ok(paid > BLOCKS, `${paid} payments`)
  t.same(node.unexpected, [])
})

/** Value of a payment's log: RLP `[hash, coin]` with a hash of 32 bytes. */
function paymentOf(data: Buffer): bigint {
  const coin = data.subarray(1 + 33)
  const bytes = (coin[0] ?? 0) < 0x80 ? coin : coin.subarray(1)
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`)
}
