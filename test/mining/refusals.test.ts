import type { Transaction } from 'bitcoinjs-lib'
import t from 'tap'
import { type BitcoinBlockChanges, BitcoinPool, dataScript, merkleHashes } from '../support/bitcoinPool.ts'
import {
  asciiHex,
  bytesOf,
  openPoolNode,
  type PoolAnswer,
  type PoolNode,
  type SubmitForm,
  type SubmitResult,
  submission,
} from '../support/poolNode.ts'
import { createRandom } from '../support/random.ts'

const FORMS: readonly SubmitForm[] = ['block', 'transactions', 'partialMerkle']
const malformed = (message: string) => ({ code: -32602, message: `Invalid ${message} expected` })
const pool = new BitcoinPool('/test/', createRandom(7))

async function mined(node: PoolNode, transactions = 3, changes: BitcoinBlockChanges = {}) {
  const work = await node.work()
  const hash = bytesOf(work.blockHashForMergedMining)
  return { work, hash, block: pool.mine(hash, BigInt(work.target), transactions, changes) }
}

function isInvalid({ error }: PoolAnswer, hash: Buffer, height: number): boolean {
  const text = `Invalid block supplied by miner: [0-9a-f]{64} ${hash.toString('hex')} at height ${height}`
  return error?.code === -33000 && new RegExp(`^${text}$`).test(error.message)
}

t.test('an accepted solution, the same again, another of the same work', async (t) => {
  const folder = t.testdir()
  for (const form of FORMS) {
    const node = openPoolNode(t, { dataDir: `${folder}/${form}` })
    const { work, block } = await mined(node)
    t.same(Object.keys(work), [
      'blockHashForMergedMining',
      'target',
      'feesPaidToMiner',
      'notify',
      'parentBlockHash',
    ])
    t.match(work, { target: `0x${'55'.repeat(32)}`, feesPaidToMiner: '0', notify: true })
    t.equal((await node.work()).notify, false, 'only the first reader is told')
    const first = (await node.ask(...submission(form, block))).result as SubmitResult
    t.match(first, { blockImportedResult: asciiHex('IMPORTED_BEST'), blockIncludedHeight: '0x1' })
    t.equal((await node.ask('eth_blockNumber')).result, '0x1')
    const next = await node.work()
    t.match(next, { parentBlockHash: first.blockHash, notify: true })
    t.not(next.blockHashForMergedMining, work.blockHashForMergedMining)
    const stored = (await node.ask('eth_getBlockByHash', [first.blockHash, false])).result
    t.match(stored, {
      hash: first.blockHash,
      hashForMergedMining: work.blockHashForMergedMining,
      bitcoinMergedMiningHeader: `0x${block.header.toString('hex')}`,
    })

    t.same((await node.ask(...submission(form, block))).result, {
      ...first,
      blockImportedResult: asciiHex('EXIST'),
    })

    const other = pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 2)
    const sibling = (await node.ask(...submission(form, other))).result as SubmitResult
    t.match(sibling, { blockImportedResult: asciiHex('IMPORTED_NOT_BEST'), blockIncludedHeight: '0x1' })
    t.not(sibling.blockHash, first.blockHash)
    t.same(node.unexpected, [])
  }
})

t.test('work that is too old or was never there', async (t) => {
  const node = openPoolNode(t)
  const { hash, block } = await mined(node)
  for (let built = 0; built < 19; built += 1) {
    await node.core.mine()
    await node.work()
  }
  t.match(
    (await node.ask(...submission('block', block))).result,
    { blockIncludedHeight: '0x1' },
    'the 20th last',
  )
  await node.core.mine()
  await node.work()
  for (const form of FORMS) {
    const { error } = await node.ask(...submission(form, block))
    const message = `Cannot publish block, could not find hash 0x${hash.toString('hex')} in the cache`
    t.same(error, { code: -33000, message })
  }
  const untagged = pool.mine(hash, 2n ** 256n, 1, { tagScript: dataScript(Buffer.from('no tag')) })
  // Without a tag the reference reads the work at the start of the coinbase.
  const garbage = untagged.coinbase.subarray(8, 40).toString('hex')
  const message = `Cannot publish block, could not find hash 0x${garbage} in the cache`
  t.same((await node.ask(...submission('block', untagged))).error, { code: -33000, message })
})

t.test('proofs that are wrong', async (t) => {
  const node = openPoolNode(t)
  const cases: [string, BitcoinBlockChanges][] = [
    ['a hash above the target', { unsolved: true }],
    // The output with the lock time after it: 8 + 1 + 2 + data + 4.
    ['129 bytes after the hash', { lastScripts: [dataScript(Buffer.alloc(129 - 4 - 8 - 1 - 3))] }],
    ['a coinbase with witness', { coinbase: (transaction: Transaction) => transaction.toBuffer() }],
    ['a header of another time', {}],
  ]
  for (const form of FORMS) {
    for (const [what, changes] of cases) {
      const { hash, block } = await mined(node, 3, changes)
      const header = Buffer.from(block.header)
      if (what === 'a header of another time') header[40] = (header[40] ?? 0) ^ 1
      const answer = await node.ask(...submission(form, { ...block, header }))
      t.ok(isInvalid(answer, hash, 1), `${form}: ${what}`)
    }
    const most = { lastScripts: [dataScript(Buffer.alloc(128 - 4 - 8 - 1 - 3))] }
    const { block } = await mined(node, 3, most)
    t.match(
      (await node.ask(...submission(form, block))).result,
      { blockIncludedHeight: '0x1' },
      '128 bytes after',
    )
    await node.core.dev?.reset()
  }
  const { hash, block } = await mined(node, 4)
  const [method, params] = submission('partialMerkle', block)
  const display = merkleHashes(block)
    .split(' ')
    .map((sibling) => Buffer.from(sibling, 'hex').reverse().toString('hex'))
  const reversed = await node.ask(method, params.with(3, display.join(' ')))
  t.ok(isInvalid(reversed, hash, 1), 'siblings in display order')
  const short = Buffer.from(`0100000001${'00'.repeat(9)}`, 'hex')
  t.same(
    (await node.ask(method, params.with(2, short.toString('hex')))).error,
    malformed('coinbase: a Bitcoin transaction'),
  )
})

t.test('the last tag counts', async (t) => {
  const node = openPoolNode(t)
  const { hash, block } = await mined(node, 1, {
    lastScripts: [dataScript(Buffer.concat([Buffer.from('RSKBLOCK:'), Buffer.alloc(32, 9)]))],
  })
  const { error } = await node.ask(...submission('block', block))
  const message = `Cannot publish block, could not find hash 0x${'09'.repeat(32)} in the cache`
  t.same(error, { code: -33000, message })
  const twice = dataScript(Buffer.concat([Buffer.from('RSKBLOCK:'), hash]))
  const { block: both } = await mined(node, 1, { lastScripts: [twice] })
  t.match(
    (await node.ask(...submission('block', both))).result,
    { blockIncludedHeight: '0x1' },
    'the same twice',
  )
})

t.test('a coinbase too short for a tag', async (t) => {
  const node = openPoolNode(t)
  const { hash, block } = await mined(node, 1)
  // Version, no inputs, no outputs, lock time; what follows a transaction is no part of it.
  const short = Buffer.concat([Buffer.from('01000000000000000000', 'hex'), Buffer.from('RSKBLOCK:'), hash])
  t.same(
    (await node.ask(...submission('transactions', { ...block, coinbase: short }))).error,
    malformed('coinbase: 32 bytes after the tag'),
  )
})

/**
 * The shortest coinbase that can hold tag and hash: they begin in the outpoint of its one input, so that a byte of
 * the hash is the length of its script. It has no outputs.
 */
function shortCoinbase(hash: Buffer): Buffer {
  const tagged = Buffer.concat([Buffer.from('RSKBLOCK:'), hash])
  const rest = Buffer.alloc((hash[27] ?? 0) - 4)
  return Buffer.concat([
    Buffer.from('0100000001', 'hex'),
    tagged,
    rest,
    Buffer.from('ffffffff0000000000', 'hex'),
  ])
}

t.test('a coinbase of 64 bytes or less', async (t) => {
  let now = 1_700_000_000_000
  const node = openPoolNode(t, { workRefreshTime: 1 }, { now: () => now })
  for (const length of [55, 64, 65]) {
    let work = await node.work()
    let hash = bytesOf(work.blockHashForMergedMining)
    for (let count = 0; hash[27] !== length - 51 && count < 5000; count += 1) {
      now += 1000
      work = await node.work()
      hash = bytesOf(work.blockHashForMergedMining)
    }
    const block = pool.mineAlone(shortCoinbase(hash), BigInt(work.target))
    t.equal(block.coinbase.length, length)
    for (const form of FORMS) {
      const answer = await node.ask(...submission(form, block))
      if (length <= 64) t.ok(isInvalid(answer, hash, 1), `${form}: ${length} bytes`)
      else t.match(answer.result, { blockIncludedHeight: '0x1' }, `${form}: ${length} bytes`)
    }
  }
  t.same(node.unexpected, [])
})

t.test('parameters that do not parse', async (t) => {
  const node = openPoolNode(t)
  const { block } = await mined(node)
  const [, [whole = '']] = submission('block', block)
  const bad: readonly (readonly [unknown, string])[] = [
    ...[`0x${whole}`, 'zz', whole.slice(0, -1), `${whole.slice(0, -1)}g`].map(
      (text) => [text, 'block: hex without 0x'] as const,
    ),
    ...['00', '', whole.slice(0, 200)].map(
      (text) => [text, 'block: a Bitcoin block with its transactions'] as const,
    ),
    ...[null, {}, []].map((value) => [value, 'block: text'] as const),
  ]
  for (const [value, wrong] of bad) {
    t.same((await node.ask('mnr_submitBitcoinBlock', [value])).error, malformed(wrong))
  }
  const [merkle, params] = submission('partialMerkle', block)
  const wrong = async (method: string, given: readonly unknown[]) => (await node.ask(method, given)).error
  const empty = { code: -33000, message: "The list of merkle hashes can't be empty" }
  t.same(await wrong(merkle, params.with(3, '')), empty)
  t.same(await wrong(merkle, params.with(1, `0x${params[1]}`)), malformed('header: hex without 0x'))
  t.same(await wrong(merkle, params.with(1, '00')), malformed('header: 80 bytes'))
  t.same(await wrong(merkle, params.with(2, '0xzz')), malformed('coinbase: hex without 0x'))
  t.same(await wrong(merkle, params.with(4, 'many')), malformed('count: a number in hex'))
  t.same(await wrong(merkle, params.with(3, 'zz zz')), malformed('hashes: hex without 0x'))
  const [transactions, ids] = submission('transactions', block)
  t.same(await wrong(transactions, ids.with(3, '')), malformed('hashes: 32 bytes each'), 'no hashes')
  t.same(await wrong(transactions, ids.with(3, '00')), malformed('hashes: 32 bytes each'))
  t.same(await wrong(transactions, [...ids.slice(0, 2), null, 'ab']), malformed('coinbase: text'))
  for (const method of ['mnr_submitBitcoinBlock', transactions, merkle]) {
    t.same((await node.ask(method, [])).error, { code: -32602, message: 'method parameters invalid' })
  }
  t.match((await node.ask(merkle, [...params.slice(0, 4), Number(params[4])])).result, {
    blockIncludedHeight: '0x1',
  })
  t.same(node.unexpected, [])
})

t.test('solutions that come too fast', async (t) => {
  let now = 1_700_000_000_000
  const node = openPoolNode(t, { submissionInterval: 10_000 }, { now: () => now })
  const limited = { code: -33000, message: 'Cannot publish block, block submission rate limit exceeded' }
  const unknown = pool.mine(Buffer.alloc(32, 1), 2n ** 256n, 1)
  t.match((await node.ask(...submission('block', unknown))).error, { message: /could not find hash/ })
  const { block } = await mined(node)
  t.same(
    (await node.ask(...submission('block', block))).error,
    limited,
    'also an unknown work takes the turn',
  )
  t.same(
    (await node.ask('mnr_submitBitcoinBlock', ['00'])).error,
    malformed('block: a Bitcoin block with its transactions'),
    'what does not parse is no solution',
  )
  now += 10_000
  t.match((await node.ask(...submission('block', block))).result, { blockIncludedHeight: '0x1' })
  t.same((await node.ask(...submission('block', block))).error, limited)
})

t.test('solutions of eth_getWork that are none', async (t) => {
  const node = openPoolNode(t)
  const [hash = '', seed = '', target = ''] = (await node.ask('eth_getWork')).result as string[]
  t.equal(target, `0x${'55'.repeat(32)}`)
  const results = new Map<unknown, number>()
  const other = `0x${'ab'.repeat(32)}`
  t.equal(
    (await node.ask('eth_submitWork', ['0x0000000000000000', other, seed])).result,
    false,
    'unknown work',
  )
  t.equal(
    (await node.ask('eth_submitWork', ['0x0000000000000001', hash, other])).result,
    false,
    'another seed',
  )
  for (let nonce = 0; nonce < 40; nonce += 1) {
    const text = `0x${'00'.repeat(7)}${nonce.toString(16).padStart(2, '0')}`
    const { result } = await node.ask('eth_submitWork', [text, hash, seed])
    results.set(result, (results.get(result) ?? 0) + 1)
  }
  t.ok((results.get(true) ?? 0) > 3 && (results.get(false) ?? 0) > 10, 'one nonce in three is a solution')
  t.match((await node.ask('eth_submitWork', ['0x00', hash, seed])).error, { code: -32602 })
  t.same(node.unexpected, [])
})

t.test('a node that serves no miners', async (t) => {
  const node = openPoolNode(t, { mergedMining: false })
  t.same((await node.ask('mnr_getWork')).error, { code: -32603, message: 'Internal server error' })
  t.equal((await node.ask('eth_getWork')).error?.code, -32601)
  t.equal((await node.ask('eth_submitWork', ['0x', '0x', '0x'])).error?.code, -32601)
  t.equal((await node.ask('mnr_submitWork', [])).error?.code, -32601)
})
