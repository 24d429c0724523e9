import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { toHex } from '../../src/util/bytes.ts'
import { readArtefact } from '../contracts/artefact.ts'
import type { NodeProcess } from '../support/nodeProcess.ts'
import { COW, signedTransaction, type TestAccount } from '../support/signedTransaction.ts'
import { type BranchBuilder, importBlocks } from './branchBuilder.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SELECTOR = 'a9059cbb'
const SUPPLY = 1_000_000n
/** What each holder gets of it. */
const SHARE = 1000n
const CREATION_GAS = 2_000_000n
const TRANSFER_GAS = 100_000n

/** Who signs a transfer of tokens, and what is free to choose about it. */
export interface Transfer {
  readonly from: TestAccount
  readonly nonce: number
  readonly value: number
  /** Wei; 1 unless given. */
  readonly gasPrice?: bigint
}

/** The transaction that creates the token: the first one of its creator. */
export function tokenCreation(): Transaction {
  const { bytecode } = readArtefact('Token')
  const data = Buffer.from(`${bytecode.slice(2)}${word(SUPPLY)}`, 'hex')
  return signedTransaction({ to: Buffer.alloc(0), gasLimit: CREATION_GAS, value: 0n, data })
}

/**
 * Two blocks on a node without any: the first one creates the token, the second one gives every holder some.
 * @returns its address
 */
export async function openTokenChain(
  node: NodeProcess,
  builder: BranchBuilder,
  holders: readonly TestAccount[],
): Promise<Buffer> {
  const creation = tokenCreation()
  await importBlocks(node, await builder.extend([[creation]]))
  const { contractAddress } = await node.request<{ contractAddress: string }>('eth_getTransactionReceipt', [
    toHex(creation.hash),
  ])
  const token = Buffer.from(contractAddress.slice(2), 'hex')
  await importBlocks(node, await builder.extend([endowments(token, holders)]))
  return token
}

/** Transactions that give every holder tokens, after the creation. */
function endowments(token: Buffer, receivers: readonly TestAccount[]): Transaction[] {
  return receivers.map(({ address }, index) =>
    signedTransaction({ ...callOf(token, address, SHARE), nonce: BigInt(index + 1) }),
  )
}

/** A transfer of tokens to the creator: one log, with the value as its data. */
export function transfer(token: Buffer, { from, nonce, value, gasPrice }: Transfer): Transaction {
  const call = callOf(token, COW.address, BigInt(value))
  return signedTransaction({
    ...call,
    from,
    nonce: BigInt(nonce),
    ...(gasPrice === undefined ? {} : { gasPrice }),
  })
}

function callOf(token: Buffer, to: Buffer, value: bigint) {
  const data = Buffer.from(`${TRANSFER_SELECTOR}${to.toString('hex').padStart(64, '0')}${word(value)}`, 'hex')
  return { to: token, gasLimit: TRANSFER_GAS, value: 0n, data }
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
