import type { BlockHeader } from '../chain/codec/header.ts'
import { transactionGasLimit } from '../chain/sublistLimits.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { toExecutable } from '../execution/executableTransaction.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import { basicCost } from '../native/transactionExecution.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { max, min } from '../util/bigint.ts'
import { bytesToBigInt, EMPTY_BYTES } from '../util/bytes.ts'
import { createBasicCosts } from './basicCosts.ts'
import type { BlockLimits, PoolAccount, PoolHead } from './interface.ts'

const NO_NUMBERS = { nonce: EMPTY_BYTES, gasPrice: EMPTY_BYTES, value: EMPTY_BYTES }

/** Cost of a transaction without data. */
const MIN_COST_GAS = 21_000n

/** The parts that a {@link PoolHead} reads. */
export interface PoolHeadParams {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  readonly header: BlockHeader
  /**
   * Limits of the block that this node makes next on the head, now; null where others make it. Then they are taken to be
   * those of the head.
   */
  readonly nextLimits: () => BlockLimits | null
}

/**
 * The state of the chain at the head, and the rules of the block that comes next, as the pool reads them. Accounts are
 * read once.
 */
export function createPoolHead({ spec, nativeSpec, store, header, nextLimits }: PoolHeadParams): PoolHead {
  const root = stateRootAfter(spec, store, header)
  const number = header.number + 1
  const gasOf = (blockGasLimit: bigint) => transactionGasLimit(spec, number, blockGasLimit)
  const ofHead = {
    transactionGasLimit: gasOf(header.gasLimit),
    minimumGasPrice: header.fields.minimumGasPrice ?? 0n,
  }
  const accounts = new Map<string, PoolAccount | null>()
  const costOf = createBasicCosts((transaction, sender) => {
    const executable = toExecutable(transaction, sender, spec.chainId)
    // The cost does not depend on numbers, which may be too large for any block.
    return executable === null
      ? MIN_COST_GAS
      : basicCost(nativeSpec, number, { ...executable, ...NO_NUMBERS })
  })
  return {
    header,
    get minimumGasPrice() {
      const next = nextLimits()
      return next === null ? ofHead.minimumGasPrice : max(ofHead.minimumGasPrice, next.minimumGasPrice)
    },
    get transactionGasLimit() {
      const next = nextLimits()
      if (next === null) return ofHead.transactionGasLimit
      return spec.jumpsGasLimit === true
        ? gasOf(next.gasLimit)
        : min(ofHead.transactionGasLimit, gasOf(next.gasLimit))
    },
    isActive: (rule) => isActive(spec, rule, number),
    account: (address, key = address.toString('hex')) => {
      const known = accounts.get(key)
      if (known !== undefined) return known
      const account = readAccount(store, root, address)
      accounts.set(key, account)
      return account
    },
    basicCost: (transaction, sender) =>
      // A gas limit that no block can run is refused by rule 8, whatever the cost.
      transaction.executionGasLimit === null ? MIN_COST_GAS : costOf(transaction, sender),
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
