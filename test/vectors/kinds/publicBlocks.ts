import { parseBlock, transactionsRoot } from '../../../src/chain/codec/block.ts'
import { EMPTY_LIST_HASH } from '../../../src/chain/codec/constants.ts'
import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import { createLogsBloom, mergeBloom } from '../../../src/chain/codec/logsBloom.ts'
import { orderedRoot } from '../../../src/chain/codec/orderedRoot.ts'
import { encodeReceipt, parseReceipt } from '../../../src/chain/codec/receipt.ts'
import { parseRLPList } from '../../../src/chain/codec/rlpReader.ts'
import { encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import { recoverSenders } from '../../../src/chain/codec/signature.ts'
import { transactionsFromItems } from '../../../src/chain/codec/transactionDecoder.ts'
import { checkProofOfWork } from '../../../src/chain/validation/proofOfWork.ts'
import { isActive } from '../../../src/config/activations.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import type { CaseValues, Comparison } from '../comparison.ts'
import {
  headerOf,
  type PublicBlock,
  type PublicLine,
  type PublicReceipt,
  type PublicTransaction,
  receiptOf,
  transactionOf,
} from './publicForm.ts'

/** Sender of the reward transaction, as JSON-RPC tells it. */
const REWARD_SENDER = `0x${'00'.repeat(20)}`

/** public-blocks*.jsonl: blocks of the public networks, as endpoints and explorers told them. */
export async function comparePublicBlocks(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  for await (const line of lines) {
    const { network, block, transactions } = line as PublicLine
    comparison.case(`${network} block ${Number(block?.number)}`, (values) => {
      const spec = networkByName(network)
      const header = headerOf(spec, block)
      compareHeader(spec, block, header, values)
      if (transactions !== undefined) compareBody(spec, block, header, transactions, values)
    })
  }
}

function compareHeader(spec: NetworkSpec, block: PublicBlock, header: BlockHeader, values: CaseValues): void {
  const decoded = parseHeader(spec, header.encodedFull)
  values.equal('hash', block.hash, header.hash)
  values.equal('hash of the decoded header', block.hash, decoded.hash)
  values.equal('encoded again', header.encodedFull, decoded.encodedFull)
  values.equal('hash for merged mining', block.hashForMergedMining, decoded.hashForMergedMining())
  const context = { spec, nativeSpec: createNativeChainSpec(spec), disabledRules: new Set<never>() }
  values.equal('proof of work', null, checkProofOfWork(context, decoded)?.found)
  if (block.uncleCount === 0) values.equal('hash of no uncles', block.sha3Uncles, EMPTY_LIST_HASH)
}

function compareBody(
  spec: NetworkSpec,
  block: PublicBlock,
  header: BlockHeader,
  recorded: readonly PublicTransaction[],
  values: CaseValues,
): void {
  const written = recorded.map((transaction) => transactionOf(spec, transaction))
  const read = transactionsFromItems(parseRLPList(encodeList(written.map(({ encoded }) => encoded))))
  const senders = recoverSenders(read)
  recorded.forEach((transaction, index) => {
    values.equal(`transaction ${index}`, transaction.hash, read[index]?.hash)
    const isReward = read[index]?.isRemasc === true
    values.equal(`reward transaction ${index}`, index === recorded.length - 1, isReward)
    values.equal(`sender of ${index}`, transaction.from, isReward ? REWARD_SENDER : senders[index])
  })
  values.equal('transactions root', block.transactionsRoot, transactionsRoot(spec, header.number, read))
  if (block.uncleCount === 0) {
    const encoded = encodeList([
      header.encodedFull,
      encodeList(read.map((each) => each.encoded)),
      encodeList([]),
    ])
    values.equal('block', encoded, parseBlock(spec, encoded).encoded)
    if (block.size !== undefined) values.equal('size', Number(block.size), encoded.length)
  }
  const receipts = recorded.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt]))
  if (receipts.length === recorded.length) compareReceipts(spec, block, receipts, values)
}

function compareReceipts(
  spec: NetworkSpec,
  block: PublicBlock,
  recorded: readonly PublicReceipt[],
  values: CaseValues,
): void {
  const bloom = Buffer.alloc(fromHex(block.logsBloom).length)
  let gasUsed = 0n
  const encoded = recorded.map((receipt, index) => {
    const written = encodeReceipt(receiptOf(receipt))
    const read = parseReceipt(written)
    values.equal(`bloom of ${index}`, receipt.logsBloom, createLogsBloom(read.logs))
    values.equal(`receipt ${index} encoded again`, written, encodeReceipt(read))
    mergeBloom(bloom, read.logsBloom)
    gasUsed += read.gasUsed
    return written
  })
  const isOrchid = !isActive(spec, 'rskip126', Number(block.number))
  values.equal('receipts root', block.receiptsRoot, orderedRoot(encoded, !isOrchid))
  values.equal('logs bloom', block.logsBloom, bloom)
  values.equal('gas used', BigInt(block.gasUsed), gasUsed)
}
