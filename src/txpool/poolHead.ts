import type { BlockHeader } from '../chain/codec/header.ts'
import { transactionGasLimit } from '../chain/sublistLimits.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { toExecutable } from '../execution/executableTransaction.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import { basicCost } from '../native/transactionExecution.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { bytesToBigInt } from '../util/bytes.ts'
import type { PoolAccount, PoolHead } from './interface.ts'

/** Cost of a transaction without data. */
const LEAST_COST = 21_000n

/** What a {@link PoolHead} reads. */
export interface PoolHeadParams {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  readonly header: BlockHeader
}

/** The state of the chain at the head, as the pool reads it. Accounts are read once. */
export function createPoolHead({ spec, nativeSpec, store, header }: PoolHeadParams): PoolHead {
  const root = stateRootAfter(spec, store, header)
  const accounts = new Map<string, PoolAccount | null>()
  return {
    header,
    minimumGasPrice: header.fields.minimumGasPrice ?? 0n,
    transactionGasLimit: transactionGasLimit(spec, header.number, header.gasLimit),
    isActive: (rule) => isActive(spec, rule, header.number),
    account: (address) => {
      const key = address.toString('hex')
      const known = accounts.get(key)
      if (known !== undefined) return known
      const account = readAccount(store, root, address)
      accounts.set(key, account)
      return account
    },
    basicCost: (transaction, sender) => {
      const executable = toExecutable(transaction, sender, spec.chainId)
      // A gas limit that no block can run is refused by rule 8, whatever the cost.
      return executable === null ? LEAST_COST : basicCost(nativeSpec, header.number, executable)
    },
  }
}

function readAccount(store: StateStore, root: Buffer, address: Buffer): PoolAccount | null {
  const account = store.account(root, address)
  if (account === null) return null
  const balance = bytesToBigInt(account.balance)
  return {
    nonce: bytesToBigInt(account.nonce),
    balance: account.negative ? -balance : balance,
    isContract: store.isContract(root, address),
  }
}
