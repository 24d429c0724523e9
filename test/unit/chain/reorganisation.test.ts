import t from 'tap'
import type { HeadChange } from '../../../src/chain/chainWriter.ts'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

interface Line {
  readonly type: string
  readonly rlp: string
  readonly hash: string
  readonly importResult: string
  readonly bestHashAfter: string
}

// The recorded chain has several blocks per height and changes its best block by fees and by hash.
const lines = readVectorLines<Line>('consensus/remasc.jsonl')
  .filter((line) => line.type === 'block')
  .slice(0, 150)

t.test('head changes name what left and what joined the canonical chain', (t) => {
  const { chain } = openTestChain(t)
  const changes: HeadChange[] = []
  const stop = chain.onHead((change) => changes.push(change))
  let canonical: string[] = []
  for (const line of lines) {
    changes.length = 0
    const result = chain.connect(parseBlock(REGTEST, fromHex(line.rlp)))
    t.equal(result.status, line.importResult)
    for (const change of changes) {
      t.same(
        change.retracted.map((header) => header.hashHex),
        canonical.slice(canonical.length - change.retracted.length).reverse(),
      )
      canonical = canonical.slice(0, canonical.length - change.retracted.length)
      canonical.push(...change.enacted.map((header) => header.hashHex))
      t.equal(change.head.hashHex, canonical.at(-1))
    }
    t.equal(`0x${chain.head.hashHex}`, line.bestHashAfter)
  }
  t.ok(
    lines.some((line) => line.importResult === 'IMPORTED_NOT_BEST'),
    'there are side blocks',
  )
  canonical.forEach((hash, index) => {
    t.equal(chain.reader.hashByNumber(index + 1)?.toString('hex'), hash)
  })
  stop()
  t.end()
})

t.test('one commit for all blocks gives the same head as one per block', (t) => {
  const { chain } = openTestChain(t)
  const blocks = lines.map((line) => parseBlock(REGTEST, fromHex(line.rlp)))
  const results = chain.connectAll(blocks)
  t.same(
    results.map((result) => result.status),
    lines.map((line) => line.importResult),
  )
  t.equal(`0x${chain.head.hashHex}`, lines.at(-1)?.bestHashAfter)
  t.same(
    chain.connectAll(blocks).map((result) => result.status),
    lines.map(() => 'EXIST'),
  )
  t.end()
})

t.test('transactions are located on the canonical chain, also when a side block holds them', (t) => {
  const { chain } = openTestChain(t)
  chain.connectAll(lines.map((line) => parseBlock(REGTEST, fromHex(line.rlp))))
  for (const line of lines) {
    const block = parseBlock(REGTEST, fromHex(line.rlp))
    block.transactions.forEach((transaction, index) => {
      const location = chain.reader.locateTransaction(transaction.hash)
      if (chain.reader.isCanonical(block.hash)) t.same(location, { blockHash: block.hash, index })
      else if (location !== null) t.ok(chain.reader.isCanonical(location.blockHash))
    })
  }
  t.end()
})

t.test('genesis blocks are never connected', (t) => {
  const { chain } = openTestChain(t)
  const genesis = chain.reader.blockByNumber(0)
  t.ok(genesis)
  if (genesis !== null) t.equal(chain.connect(genesis).status, 'EXIST')
  t.end()
})
