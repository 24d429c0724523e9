import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { NativeError } from '../../native/errors.ts'
import type { StateStore } from '../../native/stateStore.ts'
import { stateRootAfter, stateRootOfHeader } from '../../state/stateRoot.ts'
import { bigIntToBytes, bytesToBigInt } from '../../util/bytes.ts'
import type { AccountView, StateReader, StateView } from '../context.ts'
import { type KeptBlocks, stateNotFound } from '../select/history.ts'

/** The native core's view of an account. */
type NativeAccount = NonNullable<ReturnType<StateStore['account']>>

/**
 * Reads of the state store by block.
 * @param chain says from where on there are states
 * @param mayBeEdited whether edits have to be looked for, which costs as much as a read
 */
export function createStateReader(
  spec: NetworkSpec,
  store: StateStore,
  chain: KeptBlocks,
  mayBeEdited: () => boolean = () => true,
): StateReader {
  const rootAfter = (header: BlockHeader) =>
    mayBeEdited() ? stateRootAfter(spec, store, header) : stateRootOfHeader(spec, store, header)
  const hasValues = (header: BlockHeader) => {
    try {
      const root = rootAfter(header)
      return store.hasValues(root) || store.hasRoot(root)
    } catch (error) {
      if (error instanceof NativeError && error.code === 'MissingState') return false
      throw error
    }
  }
  const notFound = (header: BlockHeader, cause: unknown) =>
    stateNotFound({ chain, state: { hasValues } }, header, cause)
  return {
    rootAfter,
    hasValues,
    at: (header) =>
      createStateView(
        store,
        (cause) => notFound(header, cause),
        () => rootAfter(header),
      ),
  }
}

function createStateView(
  store: StateStore,
  notFound: (cause: unknown) => Error,
  findRoot: () => Buffer,
): StateView {
  const read = <T>(action: (root: Buffer) => T): T => {
    try {
      return action(findRoot())
    } catch (error) {
      if (error instanceof NativeError && error.code === 'MissingState') throw notFound(error)
      throw error
    }
  }
  return {
    account: (address) => toView(read((root) => store.account(root, address))),
    code: (address) => read((root) => store.code(root, address)),
    storage: (address, slot) => read((root) => store.storage(root, address, bigIntToBytes(slot))),
    cells: (address, after, limit) =>
      read((root) =>
        store
          .storageCells(root, address, after === null ? null : bigIntToBytes(after), limit)
          .map(({ slot, value }) => ({ slot: bytesToBigInt(slot), value })),
      ),
    prove: (address, slots, mustBeInMemory) => {
      const keys = slots.map(bigIntToBytes)
      return read((root) =>
        mustBeInMemory ? store.proofInMemory(root, address, keys) : store.proof(root, address, keys),
      )
    },
  }
}

function toView(account: NativeAccount | null): AccountView | null {
  if (account === null) return null
  const balance = bytesToBigInt(account.balance)
  return { nonce: bytesToBigInt(account.nonce), balance: account.negative ? -balance : balance }
}
