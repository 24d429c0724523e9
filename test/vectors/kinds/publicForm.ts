import { FORK_DETECTION_FIRST_BLOCK } from '../../../src/chain/codec/constants.ts'
import { BlockHeader } from '../../../src/chain/codec/header.ts'
import type { Receipt } from '../../../src/chain/codec/receipt.ts'
import { Transaction, type TransactionFields } from '../../../src/chain/codec/transaction.ts'
import { isActive } from '../../../src/config/activations.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { bigIntToBytes, bigIntToSignedBytes, EMPTY_BYTES, fromHex } from '../../../src/util/bytes.ts'

/** A number as an endpoint or an explorer tells it. */
type Quantity = string | number

export interface PublicLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

export interface PublicReceipt {
  readonly status: Quantity
  readonly cumulativeGasUsed: Quantity
  readonly gasUsed: Quantity
  readonly logsBloom: string
  readonly logs: readonly PublicLog[]
}

export interface PublicTransaction {
  readonly hash: string
  readonly nonce: Quantity
  readonly from: string
  readonly to: string | null
  readonly gas: Quantity
  readonly gasPrice: Quantity
  readonly value: Quantity
  readonly input: string
  /** null of the reward transaction. */
  readonly v: Quantity | null
  readonly r: Quantity | null
  readonly s: Quantity | null
  readonly receipt?: PublicReceipt
}

export interface PublicBlock {
  readonly number: Quantity
  readonly hash: string
  readonly parentHash: string
  readonly sha3Uncles: string
  readonly miner: string
  readonly stateRoot: string
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly logsBloom: string
  readonly difficulty: Quantity
  readonly gasLimit: Quantity
  readonly gasUsed: Quantity
  readonly timestamp: Quantity
  readonly extraData: string
  readonly paidFees: Quantity
  readonly minimumGasPrice: Quantity
  readonly uncleCount: number
  readonly uncles?: readonly string[]
  readonly size?: Quantity
  readonly cumulativeDifficulty?: Quantity
  readonly bitcoinMergedMiningHeader: string
  readonly bitcoinMergedMiningMerkleProof: string
  readonly bitcoinMergedMiningCoinbaseTransaction: string
  readonly hashForMergedMining: string
}

export interface PublicLine {
  readonly network: NetworkName
  readonly block: PublicBlock
  /** In block order, the reward transaction last. */
  readonly transactions?: readonly PublicTransaction[]
}

/** The header of a block of version 0: none of these files has a later one. */
export function headerOf(spec: NetworkSpec, block: PublicBlock): BlockHeader {
  const number = Number(block.number)
  return new BlockHeader({
    version: 0,
    parentHash: fromHex(block.parentHash),
    unclesHash: fromHex(block.sha3Uncles),
    coinbase: fromHex(block.miner),
    stateRoot: fromHex(block.stateRoot),
    txTrieRoot: fromHex(block.transactionsRoot),
    receiptTrieRoot: fromHex(block.receiptsRoot),
    logsBloom: fromHex(block.logsBloom),
    compressedExtension: null,
    difficultyBytes: bigIntToSignedBytes(BigInt(block.difficulty)),
    number,
    // As builders write it (consensus.md §2.1).
    gasLimitBytes: bigIntToSignedBytes(BigInt(block.gasLimit)),
    gasUsed: BigInt(block.gasUsed),
    timestamp: BigInt(block.timestamp),
    extraData: fromHex(block.extraData),
    paidFees: BigInt(block.paidFees),
    minimumGasPrice: BigInt(block.minimumGasPrice),
    uncleCount: block.uncleCount,
    ummRoot: isActive(spec, 'rskipUMM', number) ? EMPTY_BYTES : null,
    edges: null,
    baseEvent: null,
    bitcoinMergedMiningHeader: fromHex(block.bitcoinMergedMiningHeader),
    bitcoinMergedMiningMerkleProof: fromHex(block.bitcoinMergedMiningMerkleProof),
    bitcoinMergedMiningCoinbaseTransaction: fromHex(block.bitcoinMergedMiningCoinbaseTransaction),
    forkDetectionData: EMPTY_BYTES,
    rskip92: isActive(spec, 'rskip92', number),
    includesForkDetectionData: isActive(spec, 'rskip110', number) && number >= FORK_DETECTION_FIRST_BLOCK,
  })
}

/** The transaction, signed for the network or for every chain: endpoints tell `v` without the chain. */
export function transactionOf(spec: NetworkSpec, recorded: PublicTransaction): Transaction {
  const signed = [0, spec.chainId].map((chainId) => new Transaction(fieldsOf(recorded, chainId)))
  const wanted = fromHex(recorded.hash)
  const found = signed.find(({ hash }) => hash.equals(wanted))
  if (found === undefined) throw new Error(`no form of a transaction has the hash ${recorded.hash}`)
  return found
}

/** The receipt that is hashed. */
export function receiptOf(recorded: PublicReceipt): Receipt {
  return {
    success: BigInt(recorded.status) === 1n,
    cumulativeGasUsed: BigInt(recorded.cumulativeGasUsed),
    gasUsed: BigInt(recorded.gasUsed),
    logsBloom: fromHex(recorded.logsBloom),
    logs: recorded.logs.map(({ address, topics, data }) => ({
      address: fromHex(address),
      topics: topics.map(fromHex),
      data: fromHex(data),
    })),
  }
}

function fieldsOf(recorded: PublicTransaction, chainId: number): TransactionFields {
  const { v, r, s } = recorded
  const isSigned = v !== null && r !== null && s !== null
  const gas = bigIntToBytes(BigInt(recorded.gas))
  return {
    nonceBytes: bigIntToBytes(BigInt(recorded.nonce)),
    gasPrice: BigInt(recorded.gasPrice),
    // The reward transaction has a zero there (consensus.md §5.3).
    gasLimitBytes: isSigned ? gas : Buffer.from([0]),
    to: recorded.to === null ? EMPTY_BYTES : fromHex(recorded.to),
    value: BigInt(recorded.value),
    data: fromHex(recorded.input),
    chainId: isSigned ? chainId : 0,
    signature: isSigned ? { v: Number(v), r: BigInt(r), s: BigInt(s) } : null,
  }
}
