import type { Blockchain } from '../chain/blockchain.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { OpenChain } from '../execution/openChain.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { AccountWrite } from '../native/types.ts'
import type { AccountEdit } from '../rpc/devCommands.ts'
import { stateRootAfter, stateRootOfHeader } from '../state/stateRoot.ts'
import type { ChainEnvironment } from '../storage/environment.ts'
import { writeStateEdit } from '../storage/stateEdits.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../util/bytes.ts'

/** Roots of edited states by block hash in hex: the edits of a moment. */
export type StateEdits = ReadonlyMap<string, Buffer>

/**
 * Edits the state after a block of a development chain. No block can do that, so the blocks that are built on
 * an edited state are good for this node only: the edit is noted under the hash of its block, and such a chain
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

  /** Changes an account after the head. */
  edit(edit: AccountEdit): void {
    const { head } = this.#chain
    const root = stateRootAfter(this.#spec, this.#store, head)
    this.#put(head, this.#store.writeAccounts(root, [this.#toWrite(root, edit)]))
    this.#store.commit()
  }

  /** Makes exactly these edits those in effect, and all others undone. */
  restore(edits: StateEdits): void {
    const hashes = new Set([...this.current().keys(), ...edits.keys()])
    for (const hashHex of hashes) {
      const header = this.#chain.reader.headerByHash(Buffer.from(hashHex, 'hex'))
      if (header !== null) this.#put(header, edits.get(hashHex) ?? null)
    }
    this.#store.commit()
  }

  /** The state comes first: what the chain store names must be there. */
  #put(header: BlockHeader, root: Buffer | null): void {
    this.#store.putRoot(header.hash, root ?? stateRootOfHeader(this.#spec, this.#store, header))
    this.#environment.transaction((writer) => writeStateEdit(writer, header.hash, root))
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
