import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { genesisHeader } from '../../src/chain/genesis.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import type { Rule } from '../../src/config/rules.ts'
import { toExecutable } from '../../src/execution/executableTransaction.ts'
import { createNativeChainSpec } from '../../src/native/chainSpec.ts'
import { basicCost } from '../../src/native/transactionExecution.ts'
import { PoolRefusal } from '../../src/txpool/errors.ts'
import type { PoolAccount, PoolChange, PoolHead, PoolLimits } from '../../src/txpool/interface.ts'
import { TransactionQuota } from '../../src/txpool/quota.ts'
import { TransactionPool } from '../../src/txpool/transactionPool.ts'
import { COW, signedTransaction, type TestAccount, type TestTransaction } from './signedTransaction.ts'

const spec = networkByName('regtest')
const nativeSpec = createNativeChainSpec(spec)

/** Limits of the reference node. */
export const POOL_LIMITS: PoolLimits = {
  accountSlots: 16,
  gasPriceBump: 40,
  outdatedBlocks: 10,
  outdatedMilliseconds: 650_000,
}

/** What a test says about the head. */
export interface HeadFixture {
  readonly number?: number
  readonly minimumGasPrice?: bigint
  readonly transactionGasLimit?: bigint
  readonly inactive?: readonly Rule[]
}

/** A pool over accounts that a test sets, with a clock that stands still. */
export class PoolFixture {
  readonly accounts = new Map<string, PoolAccount>()
  now = 1_000_000
  pool: TransactionPool

  constructor({ head = {}, quota = false }: { head?: HeadFixture; quota?: boolean } = {}) {
    this.fund(COW, { balance: 10n ** 18n })
    this.pool = new TransactionPool({
      limits: POOL_LIMITS,
      head: this.head(head),
      quota: quota
        ? new TransactionQuota({
            now: () => this.now,
            feeMarket: () => ({ working: false, averageGasPrice: 0 }),
          })
        : null,
      now: () => this.now,
    })
  }

  fund(account: TestAccount, state: Partial<PoolAccount> = {}): void {
    this.accounts.set(account.address.toString('hex'), {
      nonce: 0n,
      balance: 10n ** 18n,
      isContract: false,
      ...state,
    })
  }

  head(fixture: HeadFixture = {}): PoolHead {
    const { number = 5, minimumGasPrice = 0n, transactionGasLimit = 6_800_000n, inactive = [] } = fixture
    const header = genesisHeader(spec, Buffer.alloc(32)).with({ number })
    return {
      header,
      minimumGasPrice,
      transactionGasLimit,
      isActive: (rule) => !inactive.includes(rule),
      account: (address) => this.accounts.get(address.toString('hex')) ?? null,
      basicCost: (transaction, sender) => {
        const executable = toExecutable(transaction, sender, spec.chainId)
        return executable === null ? 21_000n : basicCost(nativeSpec, number, executable)
      },
    }
  }

  /** Offers a transaction; the sender is the one who is said to have signed it. */
  add(transaction: Transaction, from: TestAccount = COW): PoolChange {
    return this.pool.add(transaction, from.address)
  }

  send(given: TestTransaction = {}): Transaction {
    const transaction = signedTransaction(given)
    this.add(transaction, given.from)
    return transaction
  }

  /** Text of the refusal, or null when it is taken. */
  refusal(given: TestTransaction | Transaction): string | null {
    try {
      if ('fields' in given) this.add(given)
      else this.send(given)
      return null
    } catch (error) {
      if (error instanceof PoolRefusal) return error.message
      throw error
    }
  }

  pendingNonces(): bigint[] {
    return [...this.pool.pending()].map(({ transaction }) => transaction.nonce)
  }

  queuedNonces(): bigint[] {
    return [...this.pool.queued()].map(({ transaction }) => transaction.nonce)
  }
}
