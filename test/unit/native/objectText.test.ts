import fc from 'fast-check'
import t from 'tap'
import { addressesOfSenders } from '../../../src/chain/chainStoreReader.ts'
import type { Block } from '../../../src/chain/codec/block.ts'
import { encodeLogs, type Log, parseReceipt } from '../../../src/chain/codec/receipt.ts'
import { parseRLPList } from '../../../src/chain/codec/rlpReader.ts'
import { encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'
import {
  writePendingTransactions,
  writeSimulatedLogs,
  writeSimulatedTransactions,
  writeTransactionAt,
} from '../../../src/native/objectText.ts'
import { membersOfBlock, membersText } from '../../../src/rpc/format/formatBlock.ts'
import { toHex } from '../../../src/util/bytes.ts'
import {
  type GeneratedBlock,
  generatedBlock,
  generatedLog,
  generatedTransaction,
} from '../../support/generatedBlocks.ts'
import { formatLog } from '../../support/oracle/formatLog.ts'
import { formatReceipt } from '../../support/oracle/formatReceipt.ts'
import { formatTransaction } from '../../support/oracle/formatTransaction.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const RUNS = { numRuns: 200 }
/** Large enough that nothing has to go. */
const texts = EncodedObjectCache.inMemory(1024 * 1024 * 1024)

/** Every recorded block of a chain with side blocks, creations, failures and rewards. */
function recordedBlocks(): GeneratedBlock[] {
  const lines = readVectorLines('rpc/chain-main.jsonl')
  const chain = new RecordedChain(lines)
  return (lines.slice(1) as { hash: string }[]).map(({ hash }) => {
    const reader = chain.readerAt(Buffer.from(hash.slice(2), 'hex'))
    const block = reader.blockByHash(Buffer.from(hash.slice(2), 'hex')) as Block
    return {
      block,
      senders: addressesOfSenders(reader.senders(block)),
      receipts: reader.storedReceipts(block) as Buffer,
    }
  })
}

function expectedTransactions({ block, senders }: GeneratedBlock): string[] {
  return block.transactions.map((transaction, index) =>
    JSON.stringify(
      formatTransaction(transaction, senders[index] as Buffer, {
        blockHash: block.hash,
        blockNumber: block.number,
        index,
      }),
    ),
  )
}

function expectedReceipts({ block, senders, receipts }: GeneratedBlock): string[] {
  const decoded = parseRLPList(receipts).map(({ bytes }) => parseReceipt(bytes))
  return block.transactions.map((_, index) => JSON.stringify(formatReceipt(block, decoded, senders, index)))
}

/** Everything that is written of a mined block, against the same made of objects. */
function checkBlock(generated: GeneratedBlock): void {
  const { block, receipts } = generated
  const { hash, number } = block
  const body = block.encodedBody
  const senders = Buffer.concat(generated.senders)
  const mined = { hash, number, body, senders }
  const transactions = expectedTransactions(generated)
  const same = (text: Buffer | null, expected: string | null) => {
    if ((text?.toString('latin1') ?? null) !== expected)
      throw new Error(`${text?.toString('latin1')} is not ${expected}`)
  }
  const wholeReceipts = expectedReceipts(generated)
  same(texts.writeReceipts(mined, receipts), `[${wholeReceipts.join(',')}]`)
  same(texts.text('blockReceipts', hash, hash), `[${wholeReceipts.join(',')}]`)
  block.transactions.forEach((transaction, index) => {
    const sender = generated.senders[index] as Buffer
    const one = { hash: transaction.hash, index, blockHash: hash, blockNumber: number, body, sender }
    same(texts.writeMined({ ...one, receipts }), wholeReceipts[index] as string)
    same(texts.writeMined(one), transactions[index] as string)
    same(writeTransactionAt(mined, index), transactions[index] as string)
  })
  same(writeTransactionAt(mined, block.transactions.length), null)
  same(writeTransactionAt(mined, 0x7fff_ffff), null)
  const members = membersOfBlock(block, 7n)
  const wholeBlock = (shown: readonly string[]) =>
    JSON.stringify({ ...members.before, transactions: ['%'], ...members.after }).replace('"%"', () =>
      shown.join(','),
    )
  same(texts.writeBlock(true, mined, membersText(members)), wholeBlock(transactions))
  const hashes = block.transactions.map((transaction) => `"${toHex(transaction.hash)}"`)
  same(texts.writeBlock(false, mined, membersText(members)), wholeBlock(hashes))
}

t.test('recorded blocks with their transactions and receipts', async (t) => {
  const blocks = recordedBlocks()
  for (const block of blocks) checkBlock(block)
  const transactions = blocks.flatMap(({ block }) => block.transactions)
  t.ok(transactions.length > 20, `${transactions.length} transactions`)
  t.ok(transactions.some(({ isCreation }) => isCreation))
  t.ok(transactions.some(({ isRemasc }) => isRemasc))
  t.ok(blocks.filter(({ receipts }) => receipts.length > 1).length > 20, 'with receipts')
})

t.test('generated blocks with their transactions and receipts', async () => {
  fc.assert(fc.property(generatedBlock, checkBlock), RUNS)
})

t.test('pending transactions', async () => {
  fc.assert(
    fc.property(fc.array(generatedTransaction, { maxLength: 4 }), (pending) => {
      const text = writePendingTransactions(
        encodeList(pending.map(({ transaction }) => transaction.encoded)),
        Buffer.concat(pending.map(({ sender }) => sender)),
      )
      const expected = pending.map(({ transaction, sender }) => formatTransaction(transaction, sender, null))
      return `[${text.toString('latin1')}]` === JSON.stringify(expected)
    }),
    RUNS,
  )
})

t.test('transactions of simulated blocks', async () => {
  fc.assert(
    fc.property(generatedBlock, ({ block, senders }) => {
      const text = writeSimulatedTransactions(block, block.encodedTransactions, Buffer.concat(senders))
      const expected = block.transactions.map((transaction, index) => ({
        ...formatTransaction(transaction, senders[index] as Buffer, {
          blockHash: block.hash,
          blockNumber: block.number,
          index,
        }),
        v: '0x0',
      }))
      return `[${text.toString('latin1')}]` === JSON.stringify(expected)
    }),
    RUNS,
  )
})

t.test('logs of simulated blocks', async () => {
  const simulated = fc.tuple(
    generatedTransaction,
    fc.array(generatedLog, { maxLength: 5 }),
    fc.nat(1000),
    fc.nat(300),
  )
  fc.assert(
    fc.property(simulated, ([{ transaction }, logs, index, firstLog]) => {
      const blockHash = Buffer.alloc(32, index)
      const key = { blockHash, blockNumber: firstLog + 1, index, encoded: transaction.encoded }
      const text = writeSimulatedLogs(key, encodeLogs(logs), firstLog)
      const place = {
        blockNumber: firstLog + 1,
        blockHash,
        transactionHash: transaction.hash,
        transactionIndex: index,
      }
      const expected = logs.map((log: Log, position) => ({
        ...formatLog(log, { ...place, logIndex: firstLog + position }),
        removed: false,
      }))
      return `[${text.toString('latin1')}]` === JSON.stringify(expected)
    }),
    RUNS,
  )
})

t.test('bytes that the store does not keep are refused', async (t) => {
  const block = {
    hash: Buffer.alloc(32),
    number: 1,
    body: Buffer.from('c0', 'hex'),
    senders: Buffer.alloc(0),
  }
  const refused = { code: 'InvalidArgument' }
  t.throws(() => texts.writeReceipts(block, Buffer.from('c1', 'hex')), refused)
  t.throws(() => writePendingTransactions(Buffer.from('c2c180', 'hex'), Buffer.alloc(20)), refused)
  t.throws(() => texts.writeBlock(false, block, { before: '', after: '' }), refused)
  const { transaction } = fc.sample(generatedTransaction, 1)[0] as { transaction: { encoded: Buffer } }
  t.throws(
    () => writePendingTransactions(encodeList([transaction.encoded]), Buffer.alloc(0)),
    refused,
    'no sender',
  )
})
