import { setTimeout as sleep } from 'node:timers/promises'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { BenchAccount } from '../rpc/account.ts'
import type { Peer } from '../rpc/peers.ts'
import { textOf } from '../rpc/requests.ts'
import { fund } from '../rpc/setup.ts'
import { sendingAccounts, signTransfers } from '../rpc/signedTransfers.ts'

const CREATION_GAS = 3_000_000n
const GIVE_GAS = 6_500_000n
const GIFT = 10n ** 17n
/** Accounts that get money in one transaction: geth asks for 190,000 gas where an account is new. */
const GIVEN_AT_ONCE = 25
const NUDGE_MS = 50
const EMPTY_LIMIT_MS = 60_000

/** What a node is sent, turn by turn. */
export interface SendScene {
  /** Bodies of the next turn: the next transactions of each account. */
  next(): string[]
  /** Makes blocks until all that was sent is in one; false when that takes longer than a minute. */
  mined(): Promise<boolean>
}

/** Gives money to the accounts that send. @param size accounts, and transactions of each in a turn */
export async function prepareSends(
  { url, funder }: Peer,
  size: { readonly accounts: number; readonly perAccount: number },
): Promise<SendScene> {
  const sender = new BenchAccount(url)
  await fund(url, funder, sender.account.address)
  await sender.prepare()
  const accounts = sendingAccounts(size.accounts)
  const { abi, bytecode } = readArtefact('Spread')
  const creation = encodeDeployData({ abi: abi as Abi, bytecode })
  const { contractAddress: to } = await sender.send({ data: creation, gas: CREATION_GAS })
  if (to === null) throw new Error('no address of Spread')
  for (let from = 0; from < accounts.length; from += GIVEN_AT_ONCE) {
    const some = accounts.slice(from, from + GIVEN_AT_ONCE).map(({ address }) => address)
    const data = encodeFunctionData({ abi: abi as Abi, functionName: 'give', args: [some] })
    await sender.send({ to, data, value: GIFT * BigInt(some.length), gas: GIVE_GAS })
  }
  const { chainId, gasPrice } = sender
  let nonce = 0
  const countOf = (address: Hex) => askNode<Hex>(url, 'eth_getTransactionCount', [address, 'latest'])
  return {
    next: () => {
      const signed = signTransfers({ ...size, chainId, gasPrice, firstNonce: nonce })
      nonce += size.perAccount
      return signed.map((raw) => textOf({ method: 'eth_sendRawTransaction', params: [raw] }))
    },
    mined: async () => {
      const limit = Date.now() + EMPTY_LIMIT_MS
      for (const { address } of accounts) {
        while (Number(await countOf(address)) < nonce) {
          if (Date.now() > limit) return false
          // geth has no such method and goes on by itself.
          await askNode(url, 'evm_mine', []).catch(() => sleep(NUDGE_MS))
        }
      }
      return true
    },
  }
}
