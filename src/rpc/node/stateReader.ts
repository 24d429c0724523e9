import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { NativeError } from '../../native/errors.ts'
import type { StateStore } from '../../native/stateStore.ts'
import { stateRootAfter, stateRootOfHeader } from '../../state/stateRoot.ts'
import { bigIntToBytes, bytesToBigInt } from '../../util/bytes.ts'
import type { AccountProof, AccountView, StateReader, StateView } from '../context.ts'
import { RpcError } from '../errors.ts'

/** What the native core tells about an account. */
type NativeAccount = NonNullable<ReturnType<StateStore['account']>>

/**
 * Reads of the state store by block.
 * @param mayBeEdited whether edits have to be looked for, which costs as much as a read
 */
export function createStateReader(
  spec: NetworkSpec,
  store: StateStore,
  mayBeEdited: () => boolean = () => true,
): StateReader {
  const rootAfter = (header: BlockHeader) =>
    mayBeEdited() ? stateRootAfter(spec, store, header) : stateRootOfHeader(spec, store, header)
  return { rootAfter, at: (header) => createStateView(store, () => rootAfter(header), header) }
}

function createStateView(store: StateStore, findRoot: () => Buffer, header: BlockHeader): StateView {
  const read = <T>(action: (root: Buffer) => T): T => {
    try {
      return action(findRoot())
    } catch (error) {
      if (error instanceof NativeError && error.code === 'MissingState') return missing(header, error)
      throw error
    }
  }
  return {
    account: (address) => toView(read((root) => store.account(root, address))),
    code: (address) => read((root) => store.code(root, address)),
    storage: (address, slot) => read((root) => store.storage(root, address, bigIntToBytes(slot))),
    prove: (address, slots): AccountProof => {
      const proof = read((root) => store.proof(root, address, slots.map(bigIntToBytes)))
      return {
        account: toView(proof.account ?? null),
        codeHash: proof.codeHash,
        storageHash: proof.storageHash,
        nodes: proof.nodes,
        slots: proof.cells.map(({ value, nodes }) => ({ value: value ?? null, nodes })),
      }
    },
  }
}

function toView(account: NativeAccount | null): AccountView | null {
  if (account === null) return null
  const balance = bytesToBigInt(account.balance)
  return { nonce: bytesToBigInt(account.nonce), balance: account.negative ? -balance : balance }
}

/** @throws RpcError that names the block whose state was pruned (facts/rpc.md §2) */
function missing(header: BlockHeader, cause?: unknown): never {
  throw new RpcError('notFound', `State not found for block with hash ${header.hashHex}`, { cause })
}
