import { isActivating, isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { bigIntToBytes, EMPTY_BYTES, fromHex } from '../util/bytes.ts'
import { Block } from './codec/block.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_HASH } from './codec/constants.ts'
import { BlockHeader } from './codec/header.ts'
import { stripLeadingZeros } from './codec/headerDecoder.ts'
import { BLOOM_LENGTH } from './codec/logsBloom.ts'

/** An account of the genesis state. */
export interface GenesisState {
  /** 20 bytes. */
  readonly address: Buffer
  /** null where there are only nodes below the account. */
  readonly account: { readonly nonce: bigint; readonly balance: bigint } | null
  /** Whether the contract marker is set. */
  readonly isContract: boolean
  readonly code: Buffer
  /** Slot and bytes as stored. */
  readonly cells: readonly { readonly slot: Buffer; readonly value: Buffer }[]
}

/** Block 0 and the state it stands for. */
export interface Genesis {
  readonly block: Block
  readonly state: readonly GenesisState[]
}

/** Writes genesis states; implemented over the native state store. */
export interface GenesisStateWriter {
  /** Addresses of the contracts of the network that are no bytecode, as of a height. */
  precompiles(number: number): readonly Buffer[]
  /** Root of the state, which is kept and readable; durable with the next commit. */
  writeGenesisState(state: readonly GenesisState[]): Buffer
}

/** Each Bitcoin field of genesis is one zero byte (consensus.md §1.4). */
const GENESIS_MINING_FIELD = Buffer.from([0])

/** State and block 0 of a network (consensus.md §1.4). The state is written. */
export function createGenesis(spec: NetworkSpec, writer: GenesisStateWriter): Genesis {
  const state = genesisState(spec, writer)
  const root = writer.writeGenesisState(state)
  const header = genesisHeader(spec, spec.genesis.stateRoot === null ? root : fromHex(spec.genesis.stateRoot))
  return { block: new Block(header, [], []), state }
}

/**
 * Accounts of the genesis state: the allocation, and where the Unitrie is used from the start (RSKIP126)
 * also the contracts that are no bytecode (consensus.md §1.4, §1.5).
 */
export function genesisState(
  spec: NetworkSpec,
  { precompiles }: Pick<GenesisStateWriter, 'precompiles'>,
): GenesisState[] {
  const accounts = new Map<string, GenesisState>()
  for (const { address, balance } of spec.genesis.accounts) {
    const bytes = fromHex(address)
    accounts.set(bytes.toString('hex'), { ...emptyState(bytes), account: { nonce: 0n, balance } })
  }
  if (!isActivating(spec, 'rskip126', 0)) return [...accounts.values()]
  for (const address of precompiles(0)) {
    const key = address.toString('hex')
    const existing = accounts.get(key) ?? { ...emptyState(address), account: { nonce: 0n, balance: 0n } }
    accounts.set(key, { ...existing, isContract: true })
  }
  return [...accounts.values()]
}

/** Header of block 0 with a given state root. */
export function genesisHeader(spec: NetworkSpec, stateRoot: Buffer): BlockHeader {
  const { genesis } = spec
  return new BlockHeader({
    version: 0,
    parentHash: Buffer.alloc(32),
    unclesHash: EMPTY_LIST_HASH,
    coinbase: fromHex(genesis.coinbase),
    stateRoot,
    txTrieRoot: EMPTY_TRIE_HASH,
    receiptTrieRoot: EMPTY_TRIE_HASH,
    logsBloom: Buffer.alloc(BLOOM_LENGTH),
    compressedExtension: null,
    difficultyBytes: fromHex(genesis.difficulty),
    number: 0,
    gasLimitBytes: stripLeadingZeros(fromHex(genesis.gasLimit)),
    gasUsed: 0n,
    timestamp: genesis.timestamp,
    extraData: fromHex(genesis.extraData),
    paidFees: 0n,
    minimumGasPrice: genesis.minimumGasPrice,
    uncleCount: 0,
    ummRoot: null,
    edges: null,
    baseEvent: null,
    bitcoinMergedMiningHeader: GENESIS_MINING_FIELD,
    bitcoinMergedMiningMerkleProof: GENESIS_MINING_FIELD,
    bitcoinMergedMiningCoinbaseTransaction: GENESIS_MINING_FIELD,
    forkDetectionData: EMPTY_BYTES,
    rskip92: isActive(spec, 'rskip92', 0),
    includesForkDetectionData: false,
  })
}

/** Nonce and balance as minimal big-endian bytes, as the native core takes them. */
export function accountToBytes(account: { nonce: bigint; balance: bigint }): {
  nonce: Buffer
  balance: Buffer
} {
  return { nonce: bigIntToBytes(account.nonce), balance: bigIntToBytes(account.balance) }
}

function emptyState(address: Buffer): GenesisState {
  return { address, account: null, isContract: false, code: EMPTY_BYTES, cells: [] }
}
