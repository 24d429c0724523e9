import t, { type Test } from 'tap'
import { Block, parseBlock, transactionsRoot, unclesHash } from '../../../src/chain/codec/block.ts'
import { isUndecodable } from '../../../src/chain/codec/errors.ts'
import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import type { HeaderFields } from '../../../src/chain/codec/headerFields.ts'
import { parseRLPList } from '../../../src/chain/codec/rlpReader.ts'
import { encodeStrings } from '../../../src/chain/codec/rlpWriter.ts'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import { parseTransaction } from '../../../src/chain/codec/transactionDecoder.ts'
import { sublistLimits } from '../../../src/chain/sublistLimits.ts'
import { MiningError } from '../../../src/mining/errors.ts'
import { sealInProcess } from '../../../src/mining/seal.ts'
import { signHash } from '../../../src/native/crypto.ts'
import { bigIntToFixedBytes, bytesToBigInt, signedBytesToBigInt } from '../../../src/util/bytes.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

// Each field of a header, of an uncle's header and of a transaction in many widths, in blocks that are mined and offered
// to a chain. What becomes of them is the rule of consensus.md §2.7, which is written down here once more: no field may
// hold what a later stage does not carry.

/** `IMPORTED` also for a block that was there. */
type Verdict = 'IMPORTED' | 'INVALID_BLOCK' | 'NO_PARENT' | 'DECODE'

const WIDTHS = [0, 1, 2, 4, 7, 8, 9, 19, 20, 21, 31, 32, 33, 40]
const LEADS = [0x00, 0x7f, 0xff]
const INT64 = 1n << 63n
const INT53 = 1n << 53n

/** Bytes of each width, with each leading byte. */
function* wide(): Generator<Buffer> {
  for (const width of WIDTHS) {
    for (const lead of width === 0 ? [0] : LEADS) {
      yield Buffer.concat([Buffer.from([lead]), Buffer.alloc(40, 0x5a)]).subarray(0, width)
    }
    // A number that is small for its width.
    if (width > 1) yield Buffer.concat([Buffer.alloc(width - 1), Buffer.from([1])])
  }
}

/** What becomes of a block with these bytes in place of those that the field had. */
type Expected = (bytes: Buffer, original: Buffer, parent: BlockHeader) => Verdict

const valid = (is: boolean): Verdict => (is ? 'IMPORTED' : 'INVALID_BLOCK')
const same: Expected = (bytes, original) => valid(bytes.equals(original))
const sameNumber: Expected = (bytes, original) => valid(bytesToBigInt(bytes) === bytesToBigInt(original))
const int64 =
  (expected: Expected): Expected =>
  (bytes, original, parent) =>
    bytesToBigInt(bytes) >= INT64 ? 'DECODE' : expected(bytes, original, parent)
const unlessEmpty =
  (expected: Expected): Expected =>
  (bytes, original, parent) =>
    bytes.length === 0 ? 'DECODE' : expected(bytes, original, parent)
const ofMiner: Expected = ({ length }) => (length === 0 || length === 20 ? 'IMPORTED' : 'DECODE')
const gasLimit: Expected = (bytes, _original, parent) => {
  const found = bytesToBigInt(bytes)
  return valid(found >= (parent.gasLimit * 1023n) / 1024n && found <= (parent.gasLimit * 1025n) / 1024n)
}
/** Of the block that {@link BlockMaker} makes on a parent. */
const nextGasLimit = (parent: BlockHeader) => parent.gasLimit - parent.gasLimit / 1024n
const minimumGasPrice: Expected = (bytes) =>
  valid(bytes.length > 0 && signedBytesToBigInt(bytes) >= 0n && signedBytesToBigInt(bytes) <= 1n)
const difficulty: Expected = (bytes) => {
  const found = signedBytesToBigInt(bytes)
  return found < 0n ? 'DECODE' : valid(found === 1n)
}
const number: Expected = (bytes, original) => {
  const found = bytesToBigInt(bytes)
  return found === 0n || found >= INT53 ? 'DECODE' : valid(found === bytesToBigInt(original))
}
const ummRoot: Expected = ({ length }) => valid(length === 0 || length === 20)
// The parity and the chain of 0 are written as 2, and so the block on its way has another transactions root.
const ofSignature: Expected = (bytes, original) =>
  bytes.length > 1 || bytes[0] === 0 ? 'DECODE' : valid(bytes.equals(original))
const uncleCount: Expected = (bytes) => (bytesToBigInt(bytes) > 0x7fff_ffffn ? 'DECODE' : 'IMPORTED')
const anything: Expected = () => 'IMPORTED'

/** Element and rule of each field of a header of version 2, with a parent whose minimum gas price is zero. */
const HEADER: readonly (readonly [name: string, index: number, expected: Expected])[] = [
  [
    'parentHash',
    0,
    (bytes, original) =>
      bytes.equals(original) ? 'IMPORTED' : bytes.length === 32 ? 'NO_PARENT' : 'INVALID_BLOCK',
  ],
  ['unclesHash', 1, same],
  ['coinbase', 2, ofMiner],
  ['stateRoot', 3, same],
  ['txTrieRoot', 4, (bytes, original) => (bytes.equals(original) ? 'IMPORTED' : 'DECODE')],
  ['receiptTrieRoot', 5, same],
  ['logsBloom', 6, unlessEmpty(same)],
  ['difficulty', 7, difficulty],
  ['number', 8, number],
  ['gasLimit', 9, gasLimit],
  ['gasUsed', 10, int64(sameNumber)],
  ['timestamp', 11, int64(anything)],
  ['extraData', 12, ({ length }) => valid(length <= 32)],
  ['paidFees', 13, sameNumber],
  ['minimumGasPrice', 14, minimumGasPrice],
  ['uncleCount', 15, uncleCount],
  ['ummRoot', 16, ummRoot],
  ['edges', 18, ({ length }) => valid(length < 2)],
  ['baseEvent', 19, anything],
  ['bitcoinMergedMiningHeader', 20, (bytes, original) => (bytes.equals(original) ? 'IMPORTED' : 'DECODE')],
  ['bitcoinMergedMiningMerkleProof', 21, same],
  ['bitcoinMergedMiningCoinbaseTransaction', 22, same],
]

/** First of the elements that a proof of work replaces. */
const FIRST_MINING_FIELD = 20

/** The same of an uncle. */
const UNCLE: typeof HEADER = [
  ['unclesHash', 1, anything],
  ['coinbase', 2, ofMiner],
  ['stateRoot', 3, anything],
  ['txTrieRoot', 4, anything],
  ['receiptTrieRoot', 5, anything],
  ['logsBloom', 6, unlessEmpty(anything)],
  ['difficulty', 7, difficulty],
  ['gasLimit', 9, gasLimit],
  ['gasUsed', 10, int64((bytes, _original, parent) => valid(bytesToBigInt(bytes) <= nextGasLimit(parent)))],
  ['timestamp', 11, int64(anything)],
  ['extraData', 12, anything],
  ['paidFees', 13, anything],
  ['minimumGasPrice', 14, minimumGasPrice],
  ['uncleCount', 15, uncleCount],
  ['ummRoot', 16, ummRoot],
  ['edges', 18, anything],
  ['baseEvent', 19, anything],
]

t.test('a header field of any width', (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const [parent] = maker.extend(maker.genesis, 1)
  const [block] = parent === undefined ? [] : maker.extend(parent, 1)
  if (parent === undefined || block === undefined) throw new Error('no blocks')
  for (const [name, index, expected] of HEADER) {
    const isProof = index >= FIRST_MINING_FIELD
    // Part of the proof is not in the hash, and a block that is known is not looked at again.
    const { header } = isProof ? resealed(block, { extraData: Buffer.from([index]) }) : block
    checkWidths(t, name, elementAt(header, index), (bytes, original) => {
      const found = offer(maker, () => {
        const changed = new Block(withElement(header, index, bytes), block.transactions, [])
        return isProof ? changed : sealedIfPossible(changed)
      })
      return [expected(bytes, original, parent.header), found]
    })
  }
  t.end()
})

t.test("a field of an uncle's header of any width", (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const [parent] = maker.extend(maker.genesis, 1)
  const [uncle] = parent === undefined ? [] : maker.extend(parent, 1, { label: 'uncle' })
  const [, block] = parent === undefined ? [] : maker.extend(parent, 2, { label: 'block' })
  if (parent === undefined || uncle === undefined || block === undefined) throw new Error('no blocks')
  for (const [name, index, expected] of UNCLE) {
    checkWidths(t, name, elementAt(uncle.header, index), (bytes, original) => {
      const found = offer(maker, () => {
        const changed = new Block(withElement(uncle.header, index, bytes), uncle.transactions, [])
        const uncles = [sealedIfPossible(changed).header]
        const header = block.header.with({ unclesHash: unclesHash(uncles) })
        return sealInProcess(new Block(header, block.transactions, uncles))
      })
      return [expected(bytes, original, parent.header), found]
    })
  }
  t.end()
})

t.test('a field of a transaction of any width', (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const transaction = signedTransaction({ gasPrice: 1n, gasLimit: 21_000n })
  const [block] = maker.extend(maker.genesis, 1, { transactions: [{ transaction, sender: COW.address }] })
  if (block?.transactions.length !== 2) throw new Error('no block with the transaction')
  const { parallel } = sublistLimits(block.header.gasLimit, BigInt(REGTEST.minimumSequentialGas))
  const isFewGas = (gas: bigint) => gas >= 21_000n && gas <= parallel
  const fields: typeof HEADER = [
    ['nonce', 0, (bytes) => valid(bytes.length <= 32 && bytesToBigInt(bytes) === 0n)],
    ['gasPrice', 1, sameNumber],
    ['gasLimit', 2, (bytes) => valid(bytes.length <= 8 && isFewGas(bytesToBigInt(bytes)))],
    [
      'to',
      3,
      (bytes, original) =>
        bytes.length === 0 || bytes.length === 20 ? valid(bytes.equals(original)) : 'DECODE',
    ],
    ['value', 4, sameNumber],
    ['data', 5, ({ length }) => valid(length === 0)],
    ['v', 6, ofSignature],
    ['r', 7, unlessEmpty(same)],
    ['s', 8, unlessEmpty(same)],
  ]
  for (const [name, index, expected] of fields) {
    const elements = parseRLPList(transaction.encoded).map(({ bytes }) => bytes)
    checkWidths(t, name, elements[index] ?? Buffer.alloc(0), (bytes, original) => {
      const found = offer(maker, () => {
        const changed = parseTransaction(encodeStrings(elements.with(index, bytes)))
        const transactions = [index < 6 ? signed(changed) : changed, ...block.transactions.slice(1)]
        const txTrieRoot = transactionsRoot(REGTEST, block.number, transactions)
        return sealInProcess(new Block(block.header.with({ txTrieRoot }), transactions, []))
      })
      return [expected(bytes, original, maker.genesis.header), found]
    })
  }
  t.end()
})

t.test('a gas limit of more than eight bytes limits no transaction', (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const few = signedTransaction({ gasPrice: 1n, gasLimit: 21_000n })
  const [block] = maker.extend(maker.genesis, 1, {
    transactions: [{ transaction: few, sender: COW.address }],
  })
  if (block?.transactions.length !== 2) throw new Error('no block with the transaction')
  // The same outcome: what is not used is given back.
  const many = signedTransaction({ gasPrice: 1n, gasLimit: 1n << 60n })
  const transactions = [many, ...block.transactions.slice(1)]
  const txTrieRoot = transactionsRoot(REGTEST, block.number, transactions)
  const verdicts = [4, 8, 9, 32, 33, 40].map((width) => {
    const gasLimitBytes = bigIntToFixedBytes(block.header.gasLimit, width)
    const header = block.header.with({ txTrieRoot, gasLimitBytes })
    return offer(maker, () => sealInProcess(new Block(header, transactions, [])))
  })
  const [invalid, imported] = ['INVALID_BLOCK', 'IMPORTED']
  t.same(verdicts, [invalid, invalid, imported, imported, imported, imported])
  t.end()
})

/** Tries each width, and reports what differs under the name of the field. */
function checkWidths(
  t: Test,
  name: string,
  original: Buffer,
  verdicts: (bytes: Buffer, original: Buffer) => readonly [expected: Verdict, found: string],
): void {
  const different: string[] = []
  const others = [...wide()].filter((bytes) => !bytes.equals(original))
  for (const bytes of [...others, original]) {
    const [expected, found] = verdicts(bytes, original)
    if (expected !== found) different.push(`${bytes.toString('hex')}: ${expected}, found ${found}`)
  }
  t.same(different, [], name)
}

/** What a chain says of a block that travelled as bytes. */
function offer({ open }: BlockMaker, make: () => Block): string {
  let block: Block
  try {
    block = parseBlock(REGTEST, make().encoded)
  } catch (error) {
    if (isUndecodable(error)) return 'DECODE'
    throw error
  }
  const result = open.chain.connect(block)
  if (result.status === 'UNDECIDED') return result.error.message
  if (!/^IMPORTED|EXIST/.test(result.status)) return result.status
  const stored = open.chain.reader.blockByHash(block.hash)
  return stored?.encoded.equals(block.encoded) === true ? 'IMPORTED' : 'not what is read again'
}

function elementAt(header: BlockHeader, index: number): Buffer {
  return parseRLPList(header.encodedFull)[index]?.bytes ?? Buffer.alloc(0)
}

/** @throws RlpError, CodecError */
function withElement(header: BlockHeader, index: number, bytes: Buffer): BlockHeader {
  const elements = parseRLPList(header.encodedFull).map((item) => item.bytes)
  return parseHeader(REGTEST, encodeStrings(elements.with(index, bytes)))
}

function resealed(block: Block, changes: Partial<HeaderFields>): Block {
  return sealInProcess(new Block(block.header.with(changes), block.transactions, block.uncles))
}

/** Mined again; with the proof it had where there is none for what it says. */
function sealedIfPossible(block: Block): Block {
  try {
    return sealInProcess(block)
  } catch (error) {
    if (error instanceof MiningError || isUndecodable(error)) return block
    throw error
  }
}

function signed({ fields }: Transaction): Transaction {
  const { r, s, parity } = signHash(new Transaction(fields).signingHash, COW.privateKey)
  return new Transaction({
    ...fields,
    signature: { v: 27 + parity, r: bytesToBigInt(r), s: bytesToBigInt(s) },
  })
}
