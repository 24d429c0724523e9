import t from 'tap'
import { ancestorOf } from '../../../../src/chain/ancestorOf.ts'
import { Ancestry } from '../../../../src/chain/ancestry.ts'
import { Block, parseBlock, transactionsRoot, unclesHash } from '../../../../src/chain/codec/block.ts'
import type { BlockHeader } from '../../../../src/chain/codec/header.ts'
import type { HeaderFields } from '../../../../src/chain/codec/headerFields.ts'
import { Transaction } from '../../../../src/chain/codec/transaction.ts'
import {
  BLOCK_RULES,
  type BlockRule,
  type OptionalRule,
} from '../../../../src/chain/validation/blockRules.ts'
import { InvalidBlockError } from '../../../../src/chain/validation/errors.ts'
import { validateBlock } from '../../../../src/chain/validation/validateBlock.ts'
import type { ValidationContext } from '../../../../src/chain/validation/validationContext.ts'
import { createNetworkSpec } from '../../../../src/config/networkSpec.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import { createNativeChainSpec } from '../../../../src/native/chainSpec.ts'
import { bigIntToBytes, fromHex } from '../../../../src/util/bytes.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface Line {
  readonly number: number
  readonly rlp?: string
  readonly main?: boolean
}

const spec = createNetworkSpec(networkByName('regtest'), {})
const lines = readVectorLines<Line>('rpc/chain-main.jsonl')
const blocks = lines.flatMap(({ rlp }) => (rlp === undefined ? [] : [parseBlock(spec, fromHex(rlp))]))
const byHash = new Map(blocks.map((block) => [block.hashHex, block]))
const mainBlocks = blocks.filter(
  (_, index) => lines.filter((line) => line.rlp !== undefined)[index]?.main === true,
)

/** Nonces as the recorded chain has them: of the sender's transactions up to the block. */
function nonceAfter(header: BlockHeader, account: Buffer): bigint {
  let nonce = 0n
  for (let block = byHash.get(header.hashHex); block !== undefined; block = parentOf(block)) {
    nonce += BigInt(block.senders.filter((sender) => sender?.equals(account)).length)
  }
  return nonce
}

function parentOf(block: Block): Block | undefined {
  return byHash.get(block.header.parentHash.toString('hex'))
}

function createContext(disabledRules: readonly OptionalRule[] = []): ValidationContext {
  return {
    spec,
    nativeSpec: createNativeChainSpec(spec),
    disabledRules: new Set(disabledRules),
    ancestry: new Ancestry((hash) => {
      const block = byHash.get(hash)
      return block && ancestorOf(block)
    }),
    headerByHash: (hash) => byHash.get(hash.toString('hex'))?.header,
    nonceAfter,
    now: () => 0,
  }
}

function mainBlock(number: number): Block {
  const block = mainBlocks[number]
  if (block?.number !== number) throw new Error(`no block ${number}`)
  return block
}

/** Rule that refuses a block, or null. */
function brokenRule(block: Block, disabledRules: readonly OptionalRule[] = []): BlockRule | null {
  const parent = parentOf(block)
  if (parent === undefined) throw new Error('no parent')
  try {
    validateBlock(createContext(disabledRules), block, parent.header)
    return null
  } catch (error) {
    if (error instanceof InvalidBlockError) return error.rule
    throw error
  }
}

function changed(block: Block, changes: Partial<HeaderFields>): Block {
  return new Block(block.header.with(changes), block.transactions, block.uncles)
}

function withTransactions(block: Block, transactions: readonly Transaction[]): Block {
  const txTrieRoot = transactionsRoot(spec, block.number, transactions)
  return new Block(block.header.with({ txTrieRoot, edges: [] }), transactions, block.uncles)
}

t.test('every recorded block keeps every rule', (t) => {
  for (const block of blocks) {
    if (block.number > 0) t.equal(brokenRule(block), null, `block ${block.number}`)
  }
  t.end()
})

t.test('each changed header field breaks its rule', (t) => {
  const block = mainBlock(4)
  const cases: readonly [BlockRule, Partial<HeaderFields>][] = [
    ['minimumGasPriceRange', { minimumGasPrice: 2n }],
    ['minimumGasPriceRange', { minimumGasPrice: null }],
    ['minimumGasPriceRange', { minimumGasPrice: -1n }],
    ['blockNumber', { number: 5 }],
    ['difficulty', { difficultyBytes: bigIntToBytes(2n) }],
    ['gasLimitRange', { gasLimitBytes: bigIntToBytes(2n * block.header.gasLimit) }],
    ['uncles', { unclesHash: Buffer.alloc(32) }],
    ['transactionsRoot', { txTrieRoot: Buffer.alloc(32) }],
    ['proofOfWork', { extraData: Buffer.from('other') }],
  ]
  for (const [rule, changes] of cases) t.equal(brokenRule(changed(block, changes)), rule)
  t.equal(brokenRule(changed(block, { extraData: Buffer.alloc(33) }), ['proofOfWork']), 'extraData')
  t.end()
})

t.test('transactions break their rules', (t) => {
  const block = mainBlock(4)
  const [first, ...rest] = block.transactions
  if (first === undefined) throw new Error('no transaction')
  const remasc = block.transactions.slice(-1)
  const long = new Transaction({ ...first.fields, gasLimitBytes: Buffer.alloc(33, 1) })
  const unsigned = new Transaction({ ...first.fields, signature: null })
  t.equal(brokenRule(withTransactions(block, [long, ...rest])), 'transactionFields')
  t.equal(brokenRule(withTransactions(block, [unsigned, ...rest])), 'transactionNonces')
  t.equal(brokenRule(withTransactions(block, [first, first, ...remasc])), 'transactionNonces')
  t.equal(
    brokenRule(withTransactions(block, block.transactions.slice(0, -1)), ['proofOfWork']),
    'remascTransaction',
  )
  t.equal(
    brokenRule(withTransactions(block, block.transactions.slice(0, -1)), [
      'proofOfWork',
      'remascTransaction',
    ]),
    null,
    'both rules can be switched off',
  )
  t.end()
})

t.test('gas prices are at least the minimum and at most a hundred times it (RSKIP252)', (t) => {
  const block = mainBlock(4)
  const dear = block.transactions.some((transaction) => transaction.gasPrice > 100n)
  const cheap = block.transactions.some((transaction) => !transaction.isRemasc && transaction.gasPrice < 1n)
  t.equal(
    brokenRule(changed(block, { minimumGasPrice: 1n })),
    cheap ? 'transactionGasPrice' : dear ? 'transactionGasPriceCap' : null,
  )
  t.ok(cheap || dear, 'the recorded block can show one of the rules')
  t.end()
})

t.test('edges rise, stay below the reward transaction and are two at most (RSKIP144)', (t) => {
  const block = mainBlock(4)
  const last = block.transactions.length - 1
  const rule = (edges: readonly number[]) => brokenRule(changed(block, { edges }), ['proofOfWork'])
  for (const edges of [[], [1], [1, 2], [last]]) t.equal(rule(edges), null, `[${edges}]`)
  for (const edges of [[0], [-1], [2, 2], [2, 1], [last + 1], [1, 2, 3]])
    t.equal(rule(edges), 'sublistEdges', `[${edges}]`)
  t.end()
})

t.test('uncles are new, recent and related', (t) => {
  const block = mainBlock(18)
  const [uncle] = block.uncles
  if (uncle === undefined) throw new Error('no uncle')
  const rule = (uncles: readonly BlockHeader[], of = block) =>
    brokenRule(new Block(of.header.with({ unclesHash: unclesHash(uncles) }), of.transactions, uncles), [
      'proofOfWork',
    ])
  const other = (changes: Partial<HeaderFields>) => uncle.with(changes)
  t.equal(rule([uncle]), null)
  t.equal(rule([uncle, uncle]), 'uncles', 'twice')
  t.equal(rule([uncle], mainBlock(19)), 'uncles', 'used by the parent')
  t.equal(rule([mainBlock(17).header]), 'uncles', 'an ancestor')
  t.equal(rule([other({ parentHash: Buffer.alloc(32, 1) })]), 'uncles', 'of no ancestor')
  t.equal(rule([other({ number: 18 })]), 'uncles', 'a sibling')
  t.equal(rule([other({ gasUsed: uncle.gasLimit + 1n })]), 'uncles', 'more gas than its limit')
  t.equal(rule([other({ difficultyBytes: bigIntToBytes(9n) })]), 'uncles', 'another difficulty')
  t.equal(rule([other({ gasLimitBytes: bigIntToBytes(3_000_000n) })]), 'uncles', 'another gas limit')
  t.equal(rule([other({ minimumGasPrice: 5n })]), 'uncles', 'another minimum gas price')
  t.equal(
    rule(Array.from({ length: 11 }, (_, index) => other({ extraData: Buffer.from([index]) }))),
    'uncles',
    'too many',
  )
  t.equal(
    rule(Array.from({ length: 10 }, (_, index) => other({ extraData: Buffer.from([index]) }))),
    null,
    'ten',
  )
  t.end()
})

t.test('an uncle must prove its work unless that rule is off', (t) => {
  const block = mainBlock(18)
  const [uncle] = block.uncles
  if (uncle === undefined) throw new Error('no uncle')
  const uncles = [uncle.with({ extraData: Buffer.from('x') })]
  const parent = block.header.with({ unclesHash: unclesHash(uncles) })
  t.equal(brokenRule(new Block(parent, block.transactions, uncles)), 'uncles')
  t.end()
})

t.test('the error tells rule, number, hash and both values, and crosses threads', (t) => {
  const block = changed(mainBlock(4), { difficultyBytes: bigIntToBytes(2n) })
  const parent = parentOf(block)
  if (parent === undefined) throw new Error('no parent')
  t.throws(() => validateBlock(createContext(), block, parent.header), {
    code: 'INVALID_BLOCK',
    rule: 'difficulty',
    expected: '1',
    found: '2',
    number: 4,
    hash: `0x${block.hashHex}`,
  })
  t.end()
})

t.test('rule names are different', (t) => {
  t.equal(new Set(BLOCK_RULES).size, BLOCK_RULES.length)
  t.end()
})
