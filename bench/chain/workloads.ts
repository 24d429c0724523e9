import { contractAddressOf, type SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { keccak256 } from '../../src/native/crypto.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { accountOf } from '../rpc/encode.ts'
import { encodeCall, encodeWords } from './callData.ts'
import { Sender } from './sender.ts'

/** Contents of the blocks of a generated chain. */
export type WorkloadName = 'empty' | 'transfers' | 'token' | 'storage' | 'logs' | 'holders' | 'accounts'

/** Workloads of the import benchmark; `holders` and `accounts` grow, with a new account in each step. */
export const WORKLOAD_NAMES: readonly WorkloadName[] = ['empty', 'transfers', 'token', 'storage', 'logs']

/** The transactions of a generated chain, block by block. */
export interface Workload {
  /** Blocks that set up accounts and contracts. */
  readonly setup: readonly (readonly SignedTransaction[])[]
  /** The contract that the transactions call; null where they call none. */
  readonly contract: Buffer | null
  /** Transactions of the next block. */
  next(count: number): SignedTransaction[]
}

/** A workload that may begin in the middle of its chain. */
export interface LaterWorkload extends Workload {
  /** Leaves blocks behind those of the setup out, as if they had been made. */
  skip(blocks: number, transactionsPerBlock: number): void
}

const SENDERS = 100
const RECEIVERS = 1_000
const RBTC = 10n ** 18n
const SUPPLY = 10n ** 30n
const TRANSFER_GAS = 21_000n
const TOKEN_GAS = 90_000n
const CREATION_GAS = 3_000_000n
/** Cells that one transaction of the storage workload writes, and logs that one of the log workload emits. */
const CELLS = 10n
const LOGS = 20n
/** Accounts that one transaction of the account workload creates. */
export const ACCOUNTS_AT_ONCE = 180
const SPREAD_GAS = 6_700_000n
const STORAGE_GAS = 300_000n
const LOG_GAS = 120_000n

/** The workload of a name. The same name gives the same transactions every time. */
export function createWorkload(name: 'holders'): LaterWorkload
export function createWorkload(name: WorkloadName): Workload
export function createWorkload(name: WorkloadName): Workload {
  const treasury = new Sender('cow')
  const senders = Array.from({ length: SENDERS }, (_, i) => new Sender(`rhizome bench sender ${i}`))
  const receivers = Array.from({ length: RECEIVERS }, (_, i) =>
    keccak256(Buffer.from(`rhizome bench receiver ${i}`)).subarray(0, 20),
  )
  let count = 0
  const at = <T>(items: readonly T[]): T => items[count % items.length] as T
  const repeat = (make: (sender: Sender) => SignedTransaction) => (transactions: number) =>
    Array.from({ length: transactions }, () => {
      const made = make(at(senders))
      count += 1
      return made
    })
  const fund = senders.map(({ address }) =>
    treasury.send({ to: address, value: 1_000n * RBTC, gas: TRANSFER_GAS }),
  )
  const create = (contract: 'Token' | 'Compute' | 'Spread', args: readonly bigint[] = []): Buffer => {
    const address = contractAddressOf(treasury.address, treasury.nonce)
    const code = Buffer.concat([fromHex(readArtefact(contract).bytecode), encodeWords(args)])
    fund.push(treasury.send({ data: code, gas: CREATION_GAS }))
    return address
  }

  switch (name) {
    case 'empty':
      return { setup: [], contract: null, next: () => [] }
    case 'transfers':
      return {
        setup: [fund],
        contract: null,
        next: repeat((sender) => sender.send({ to: at(receivers), value: 1_000n, gas: TRANSFER_GAS })),
      }
    case 'token': {
      const token = create('Token', [SUPPLY])
      const share = senders.map(({ address }) =>
        treasury.send({
          to: token,
          data: encodeCall('transfer(address,uint256)', [address, SUPPLY / 1_000n]),
          gas: TOKEN_GAS,
        }),
      )
      const next = repeat((sender) =>
        sender.send({
          to: token,
          data: encodeCall('transfer(address,uint256)', [at(receivers), 1_000n]),
          gas: TOKEN_GAS,
        }),
      )
      return { setup: [fund, ...halves(share)], contract: token, next }
    }
    case 'holders': {
      const token = create('Token', [SUPPLY])
      const next = repeat(() => {
        const data = encodeCall('transfer(address,uint256)', [fromHex(accountOf(count)), 1_000n])
        return treasury.send({ to: token, data, gas: TOKEN_GAS })
      })
      const skip = (blocks: number, transactionsPerBlock: number) => {
        count += blocks * transactionsPerBlock
        treasury.skip(blocks * transactionsPerBlock)
      }
      const holders: LaterWorkload = { setup: [fund], contract: token, next, skip }
      return holders
    }
    case 'accounts': {
      const spread = create('Spread')
      const next = repeat(() => {
        const data = encodeCall('fund(uint256,uint256)', [
          BigInt(count * ACCOUNTS_AT_ONCE),
          BigInt(ACCOUNTS_AT_ONCE),
        ])
        return treasury.send({ to: spread, data, value: BigInt(ACCOUNTS_AT_ONCE), gas: SPREAD_GAS })
      })
      return { setup: [fund], contract: spread, next }
    }
    case 'storage': {
      const compute = create('Compute')
      const next = repeat((sender) =>
        sender.send({
          to: compute,
          data: encodeCall('store(uint256,uint256,uint256)', [
            BigInt(count) * CELLS,
            CELLS,
            BigInt(count + 1),
          ]),
          gas: STORAGE_GAS,
        }),
      )
      return { setup: [fund], contract: compute, next }
    }
    case 'logs': {
      const compute = create('Compute')
      const next = repeat((sender) =>
        sender.send({ to: compute, data: encodeCall('log(uint256)', [LOGS]), gas: LOG_GAS }),
      )
      return { setup: [fund], contract: compute, next }
    }
  }
}

/** Every second block empty, the others with token transfers to new owners each. */
export function createMixedWorkload(): LaterWorkload {
  const holders = createWorkload('holders')
  let made = 0
  return {
    ...holders,
    next: (count) => {
      made += 1
      return isEmpty(made) ? [] : holders.next(count)
    },
    skip: (blocks, transactionsPerBlock) => {
      const before = transfersIn(made)
      made += blocks
      holders.skip(transfersIn(made) - before, transactionsPerBlock)
    },
  }
}

function isEmpty(made: number): boolean {
  return made % 2 === 0
}

/** Blocks with transfers among so many of a mixed workload. */
export function transfersIn(blocks: number): number {
  return Math.ceil(blocks / 2)
}

/** Two blocks of one's length, so that neither is too full. */
function halves<T>(items: readonly T[]): T[][] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
