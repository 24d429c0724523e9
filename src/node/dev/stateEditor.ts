import type { Blockchain } from '../../chain/blockchain.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { readStateEdit, writeStateEdit } from '../../chain/tables/stateEdits.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { OpenChain } from '../../execution/openChain.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { AccountWrite } from '../../native/types.ts'
import type { AccountEdit } from '../../rpc/devCommands.ts'
import { nameEditedStates } from '../../state/editedStates.ts'
import { stateRootAfter } from '../../state/stateRoot.ts'
import type { ChainEnvironment, TableWriter } from '../../storage/chainEnvironment.ts'
import { commitBoth } from '../../storage/commitBoth.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../../util/bytes.ts'
import type { AccountState } from './anvilState.ts'
import { type DumpStep, dumpChain, type StateEdits, storeStates } from './chainDump.ts'

/** An account that users are given, with its balance in wei. */
export interface FundedAccount {
  /** 20 bytes. */
  readonly address: Buffer
  readonly balance: bigint
}

/**
 * Edits the state after a block of a development chain. No block can do that, so the blocks that are built on
 * an edited state are good for this node only: the edit is recorded under the hash of its block, and such a chain
 * is not exported (`chain/exportBlocks.ts`).
 */
export class StateEditor {
  readonly #spec: NetworkSpec
  readonly #chain: Blockchain
  readonly #store: StateStore
  readonly #environment: ChainEnvironment

  constructor(spec: NetworkSpec, { chain, stateStore, environment }: OpenChain) {
    this.#spec = spec
    this.#chain = chain
    this.#store = stateStore
    this.#environment = environment
  }

  /** Every edit that is in effect. */
  current(): StateEdits {
    return new Map(
      [...this.#environment.entries('stateEdits')].map(({ key, value }) => [key.toString('hex'), value]),
    )
  }

  /** Changes an account after the head: wholly and for good, or with an error and not at all. */
  edit(edit: AccountEdit): void {
    this.editAll([edit])
  }

  /**
   * Gives a balance to those accounts that do not exist after the head; at the block of a fork to those that have less. A chain with rules of its own counts as edited.
   * @returns true when the state is another one now
   */
  prepare(accounts: readonly FundedAccount[]): boolean {
    if (this.#spec.jumpsGasLimit === true) this.#mark()
    const root = stateRootAfter(this.#spec, this.#store, this.#chain.head)
    const poor = accounts.filter((account) => this.#isPoor(root, account))
    if (poor.length > 0) this.editAll(poor)
    return poor.length > 0
  }

  /** Whoever else has the key of an account has used it on the network of a fork. */
  #isPoor(root: Buffer, { address, balance }: FundedAccount): boolean {
    const account = this.#store.account(root, address)
    if (this.#spec.fork === undefined) return account === null
    const isFirst = this.#chain.head.number === this.#spec.fork.number
    return isFirst && (account === null || bytesToBigInt(account.balance) < balance)
  }

  /** Changes different accounts after the head: all of them, or with an error none. */
  editAll(edits: readonly AccountEdit[]): void {
    const root = stateRootAfter(this.#spec, this.#store, this.#chain.head)
    const writes = edits.map((edit) => this.#toWrite(root, edit))
    this.adopt(this.#store.writeAccounts(root, writes))
  }

  /** Records an edit after the head that changes nothing. */
  #mark(): void {
    const { head, reader } = this.#chain
    if (!reader.hasEditedState(head.hash)) this.adopt(stateRootAfter(this.#spec, this.#store, head))
  }

  /** Writes accounts over those after the head, as {@link edit} does one; cells that are not named stay. */
  write(accounts: readonly AccountState[]): void {
    const root = stateRootAfter(this.#spec, this.#store, this.#chain.head)
    const writes = accounts.map(({ address, nonce, balance, code, cells }): AccountWrite => {
      const hasProgram = code.length > 0 || cells.length > 0
      return {
        address,
        nonce: bigIntToBytes(nonce),
        balance: bigIntToBytes(balance),
        ...(code.length > 0 && { code }),
        contract: hasProgram || this.#store.isContract(root, address),
        storage: cells.flatMap(({ slot, value }) => [bigIntToBytes(slot), bigIntToBytes(value)]),
      }
    })
    this.adopt(this.#store.writeAccounts(root, writes))
  }

  /** Makes another state that of the head; it must be here. */
  adopt(root: Buffer): void {
    const { head } = this.#chain
    commitBoth(this.#store, this.#environment, (writer) => writeStateEdit(writer, head.hash, root))
    this.#store.putEditedRoot(head.hash, root)
  }

  /** The edits of canonical blocks and all that belongs to them as bytes. @throws RpcError as {@link dumpChain} */
  dump(): Promise<Buffer> {
    return dumpChain(this.#chain, this.#store, this.current())
  }

  /** Puts the states of a dump into the store. @throws RpcError as {@link storeStates} */
  storeStates(steps: readonly DumpStep[]): Promise<void> {
    return storeStates(this.#store, steps)
  }

  /**
   * Goes back to a canonical block and to the edits of a moment, which are those in effect then; all others are undone.
   * One transaction does both.
   * @param target the head, or a block below it
   * @param keepsPool whether blocks of the same heights follow, so that the pool goes on as it is
   */
  goBack(target: BlockHeader, edits: StateEdits, keepsPool = false): void {
    if (target.hash.equals(this.#chain.head.hash)) {
      commitBoth(this.#store, this.#environment, (writer) => this.#restore(writer, edits))
      nameEditedStates(this.#environment, this.#store)
      return
    }
    this.#chain.rewind(target, {
      keepsPool,
      before: (writer) => this.#restore(writer, edits),
      committed: () => nameEditedStates(this.#environment, this.#store),
    })
  }

  #restore(writer: TableWriter, edits: StateEdits): void {
    for (const hashHex of new Set([...this.current().keys(), ...edits.keys()])) {
      const hash = Buffer.from(hashHex, 'hex')
      // A block that was disconnected takes its edit with it.
      const isConnected = this.#chain.reader.headerByHash(hash) !== null
      const root = (isConnected ? edits.get(hashHex) : null) ?? null
      if (readStateEdit(writer, hash)?.equals(root ?? EMPTY_BYTES) !== true)
        writeStateEdit(writer, hash, root)
    }
  }

  #toWrite(root: Buffer, { address, balance, nonce, code, cell }: AccountEdit): AccountWrite {
    const hasProgram = this.#store.isContract(root, address) || code !== undefined || cell !== undefined
    return {
      address,
      ...(balance === undefined ? {} : { balance: bigIntToBytes(balance) }),
      // A program alone makes an account, too.
      ...(nonce === undefined ? this.#presentNonce(root, address) : { nonce: bigIntToBytes(nonce) }),
      ...(code === undefined ? {} : { code }),
      contract: hasProgram,
      storage: cell === undefined ? [] : [bigIntToBytes(cell.slot), bigIntToBytes(bytesToBigInt(cell.value))],
    }
  }

  #presentNonce(root: Buffer, address: Buffer): { readonly nonce: Buffer } {
    return { nonce: this.#store.account(root, address)?.nonce ?? EMPTY_BYTES }
  }
}
