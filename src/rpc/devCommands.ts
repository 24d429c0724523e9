import type { BlockAdjustment } from '../mining/adjustablePolicy.ts'
import type { BlockInterval, ProducerMode } from '../mining/blockProducer.ts'
import type { SendOutcome } from '../txpool/interface.ts'
import type { CommandSignal } from './commandSignal.ts'

/** The changes to an account. Absent fields stay as they are. */
export interface AccountEdit {
  /** 20 bytes. */
  readonly address: Buffer
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Buffer
  readonly cell?: {
    readonly slot: bigint
    /** 32 bytes. */
    readonly value: Buffer
  }
}

/** A transaction and the index of the block, of those that are to be made, that holds it. */
export interface PlacedTransaction {
  /** RLP; one that nobody signed carries its sender (`impersonated.ts`). */
  readonly encoded: Buffer
  readonly index: number
}

/** Choice of transactions of the pool: one, those of an account, or all. */
export interface PoolSelection {
  /** 32 bytes. */
  readonly hash?: Buffer
  /** 20 bytes. */
  readonly sender?: Buffer
}

/**
 * Control over a development chain. Refusals are thrown as RpcError. What is declared here, other threads ask for over
 * a port: parameters and results are plain values (`node/proxy/plainValue.ts`).
 */
export interface DevCommands {
  /** Remembers the chain as it is; ids count from 1, and none is given twice. */
  snapshot(): Promise<number>
  /** Goes back to a snapshot, which stays, while later ones are forgotten; false when there is none of that id. */
  revert(id: bigint): Promise<boolean>
  /**
   * Rewinds the chain by so many blocks; snapshots of a higher chain are forgotten. Refused when there are not so many
   * blocks.
   */
  rollback(depth: number): Promise<void>
  /**
   * Replaces the newest blocks by as many others that hold the given transactions, and nothing of the pool, which stays;
   * snapshots of a higher chain are forgotten. Refused when there are not so many blocks.
   * @param stop ends that with the block at hand
   */
  reorganise(depth: number, transactions: readonly PlacedTransaction[], stop?: CommandSignal): Promise<void>
  /** Goes back to genesis and forgets all snapshots. */
  reset(): Promise<void>
  /** Moves the time of the next block forward. @returns how far it is ahead of the machine's, seconds */
  increaseTime(seconds: number): Promise<number>
  /** Sets the time of the next block, seconds since 1970, from which later ones go on. */
  setNextBlockTimestamp(timestamp: number): Promise<void>
  /** Gives blocks times so many seconds apart; null follows the clock. @returns whether there was an interval */
  setTimestampInterval(seconds: number | null): Promise<boolean>
  /** Changes what blocks are made with from the next one on. */
  adjustBlocks(adjustment: BlockAdjustment): Promise<void>
  /** The blocks of the chain and the states that were edited, packed. */
  dumpState(): Promise<Buffer>
  /** Goes back to genesis and on to the chain of a dump. @param stop ends that with the block at hand */
  loadState(dump: Uint8Array, stop?: CommandSignal): Promise<void>
  /** Takes transactions out of the pool. @returns whether there was one */
  dropTransactions(selection: PoolSelection): Promise<boolean>
  /** Name of this chain in this run, 32 bytes as 0x hex; another one after a reset. */
  instance(): Promise<string>
  /** True when a block is made as soon as there is a transaction. */
  setAutomine(on: boolean): Promise<void>
  /** Makes blocks in an interval; null for no longer. */
  setInterval(interval: BlockInterval | null): Promise<void>
  /** Conditions under which blocks are made. */
  mode(): Promise<ProducerMode>
  /** Stops making blocks in intervals, or goes on. */
  setMining(on: boolean): Promise<void>
  /** Changes the state after the head without a block. */
  editAccount(edit: AccountEdit): Promise<void>
  /**
   * Connects a block of another node, given as RLP, and answers with its hash once it is durable. Refused are
   * bytes that are no block, a block against the rules, and one without its parent, which waits for that.
   */
  importBlock(encoded: Buffer): Promise<Buffer>
  /** Offers a transaction that nobody signed; `encoded` carries its sender (`impersonated.ts`). */
  sendImpersonated(encoded: Buffer): Promise<SendOutcome>
}
