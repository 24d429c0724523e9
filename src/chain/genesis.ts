import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { EMPTY_BYTES, fromHex } from '../util/bytes.ts'
import { Block } from './codec/block.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_HASH } from './codec/constants.ts'
import { BlockHeader } from './codec/header.ts'
import { stripLeadingZeros } from './codec/headerDecoder.ts'
import { BLOOM_LENGTH } from './codec/logsBloom.ts'

/** An account of the genesis state. */
export interface GenesisState {
  /** 20 bytes. */
  readonly address: Buffer
  /** null where the trie has only nodes below the account. */
  readonly account: { readonly nonce: bigint; readonly balance: bigint } | null
  /** True when the contract marker is set. */
  readonly isContract: boolean
  readonly code: Buffer
  /** Slot and bytes as stored. */
  readonly cells: readonly { readonly slot: Buffer; readonly value: Buffer }[]
}

/** Writes genesis states; implemented over the native state store. */
export interface GenesisStateWriter {
  /** Root of the state that holds these accounts and nothing else. */
  writeGenesisState(state: readonly GenesisState[]): Buffer
  /** Root of a genesis state with the accounts of the precompiled contracts (consensus.md §1.4, §1.5). */
  addGenesisContracts(root: Buffer): Buffer
  /** Records the state of a header whose root is of another format (before RSKIP126). */
  keepRoot(header: BlockHeader, root: Buffer): void
}

/** Each Bitcoin field of genesis is one zero byte (consensus.md §1.4). */
const GENESIS_MINING_FIELD = Buffer.from([0])

/**
 * Creates the state and block 0 of a network (consensus.md §1.4). The state becomes durable with the next
 * commit.
 */
export function createGenesis(spec: NetworkSpec, writer: GenesisStateWriter): Block {
  const accounts = spec.genesis.accounts.map(
    ({ address, balance }): GenesisState => ({
      address: fromHex(address),
      account: { nonce: 0n, balance },
      isContract: false,
      code: EMPTY_BYTES,
      cells: [],
    }),
  )
  const root = writer.addGenesisContracts(writer.writeGenesisState(accounts))
  const header = genesisHeader(spec, spec.genesis.stateRoot === null ? root : fromHex(spec.genesis.stateRoot))
  writer.keepRoot(header, root)
  return new Block(header, [], [])
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
    timestamp: BigInt(genesis.timestamp),
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
