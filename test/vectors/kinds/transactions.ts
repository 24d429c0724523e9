import { readRlpItems } from '../../../src/chain/codec/rlpReader.ts'
import { acceptsSignature, hasValidFieldLengths, recoverSenders } from '../../../src/chain/codec/signature.ts'
import {
  contractAddressOf,
  createRemascTransaction,
  type Transaction,
} from '../../../src/chain/codec/transaction.ts'
import { parseTransaction, transactionsFromItems } from '../../../src/chain/codec/transactionDecoder.ts'
import {
  BLOCK_GAS_PRICE_CAP,
  exceedsGasPriceCap,
  POOL_GAS_PRICE_CAP,
} from '../../../src/chain/gasPriceCap.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { type CaseValues, type Comparison, tryOr } from '../comparison.ts'

type Line = {
  name: string
  network: NetworkName
  raw: string
  decodes?: boolean
  blockNumber?: string
} & Record<string, unknown>

/** transactions.jsonl: decoding, hashes, senders and the rules on signature, fields and gas price. */
export async function compareTransactions(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  for await (const line of lines) {
    const vector = line as Line
    comparison.case(vector.name, (values) => {
      if (vector.blockNumber === undefined) compareTransaction(vector, values)
      else compareRemasc(vector, Number(vector.blockNumber), values)
    })
  }
}

function compareTransaction(vector: Line, values: CaseValues): void {
  const transaction = tryOr(() => parseTransaction(fromHex(vector.raw)), null)
  values.equal('decodes', vector.decodes, transaction !== null)
  if (transaction === null) return
  const { fields } = transaction
  const [sender] = recoverSenders([transaction])
  values.equal('hash', vector['hash'], transaction.hash)
  values.equal('encoded', vector['encoded'], transaction.encoded)
  values.equal('signing hash', vector['signingHash'], transaction.signingHash)
  values.equal('nonce', vector['nonce'], transaction.nonce)
  values.equal('gas price', vector['gasPrice'], transaction.gasPrice)
  values.equal('gas limit bytes', vector['gasLimitBytes'], orNull(fields.gasLimitBytes))
  values.equal('gas limit', vector['gasLimit'], transaction.executionGasLimit)
  values.equal('to', vector['to'], fields.to)
  values.equal('is creation', vector['isCreation'], transaction.isCreation)
  values.equal('value', vector['value'], fields.value)
  values.equal('data', vector['data'], orNull(fields.data))
  values.equal('chain id', vector['chainId'], fields.chainId)
  values.equal('r', vector['r'], wordOrNull(fields.signature?.r))
  values.equal('s', vector['s'], wordOrNull(fields.signature?.s))
  values.equal('v', vector['v'], fields.signature?.v)
  values.equal('sender', vector['sender'], sender)
  values.equal(
    'accepts signature',
    vector['acceptSignature'],
    acceptsSignature(transaction, networkByName(vector.network).chainId),
  )
  values.equal('verify', vector['verify'], verifies(transaction, sender))
  if (transaction.isCreation && sender) {
    values.equal('contract address', vector['contractAddress'], contractAddressOf(sender, transaction.nonce))
  }
  compareGasPriceCaps(vector, transaction, values)
}

function compareGasPriceCaps(vector: Line, transaction: Transaction, values: CaseValues): void {
  for (const key of Object.keys(vector)) {
    const match = /^surpasses(Block|Pool)Cap\d+x_mgp(\d+)$/.exec(key)
    if (match === null) continue
    const cap = match[1] === 'Block' ? BLOCK_GAS_PRICE_CAP : POOL_GAS_PRICE_CAP
    values.equal(key, vector[key], exceedsGasPriceCap(transaction, BigInt(match[2] ?? 0), cap))
  }
}

function compareRemasc(vector: Line, blockNumber: number, values: CaseValues): void {
  const built = createRemascTransaction(blockNumber)
  const [read] = transactionsFromItems(readRlpItems(fromHex(vector.raw)))
  values.equal('raw', vector.raw, built.encoded)
  for (const transaction of [built, read]) {
    values.equal('hash', vector['hash'], transaction?.hash)
    values.equal('nonce', vector['nonce'], transaction?.nonce)
    values.equal('to', vector['to'], transaction?.fields.to)
    values.equal('is REMASC', vector['isRemasc'], transaction?.isRemasc)
    values.equal('sender', vector['sender'], transaction && recoverSenders([transaction])[0])
  }
}

/** The block rule on the fields of a transaction, its sender included (consensus.md §4.2 rule 1). */
function verifies(transaction: Transaction, sender: Buffer | null | undefined): boolean {
  return hasValidFieldLengths(transaction) && (transaction.fields.signature === null || Boolean(sender))
}

function orNull(bytes: Buffer): Buffer | null {
  return bytes.length === 0 ? null : bytes
}

function wordOrNull(value: bigint | undefined): bigint | null {
  return value ?? null
}
