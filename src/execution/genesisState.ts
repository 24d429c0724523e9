import { EMPTY_TRIE_HASH } from '../chain/codec/constants.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { GenesisState, GenesisStateWriter } from '../chain/genesis.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { addGenesisContracts } from '../native/blockExecution.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { AccountWrite } from '../native/types.ts'
import { bigIntToBytes } from '../util/bytes.ts'

/** Writes genesis states into the native store; durable with its next commit. */
export class NativeGenesisState implements GenesisStateWriter {
  readonly #spec: NetworkSpec
  readonly #nativeSpec: NativeChainSpec
  readonly #store: StateStore

  constructor({
    spec,
    nativeSpec,
    store,
  }: { spec: NetworkSpec; nativeSpec: NativeChainSpec; store: StateStore }) {
    this.#spec = spec
    this.#nativeSpec = nativeSpec
    this.#store = store
  }

  writeGenesisState(state: readonly GenesisState[]): Buffer {
    return this.#store.writeAccounts(EMPTY_TRIE_HASH, state.map(toWrite))
  }

  addGenesisContracts(root: Buffer): Buffer {
    return addGenesisContracts(this.#nativeSpec, this.#store, root)
  }

  keepRoot(header: BlockHeader, root: Buffer): void {
    if (!isActive(this.#spec, 'rskip126', header.number)) this.#store.putRoot(header.hash, root)
  }
}

function toWrite({ address, account, isContract, code, cells }: GenesisState): AccountWrite {
  return {
    address,
    ...(account === null
      ? {}
      : { nonce: bigIntToBytes(account.nonce), balance: bigIntToBytes(account.balance) }),
    ...(code.length === 0 ? {} : { code }),
    contract: isContract,
    storage: cells.flatMap(({ slot, value }) => [slot, value]),
  }
}
