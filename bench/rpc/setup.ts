import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { BenchAccount, waitForReceipt } from './account.ts'
import { accountOf } from './encode.ts'
import { mineBlocks } from './mineBlocks.ts'
import type { Peer } from './peers.ts'

/** Objects that the requests of the load refer to. */
export interface Scene {
  readonly owner: Hex
  /** Accounts with a wei and a token each: those of the numbers from 0 up. */
  readonly accounts: number
  readonly token: Hex
  readonly compute: Hex
  /** Blocks with a token transfer each, first and last. */
  readonly firstBlock: number
  readonly lastBlock: number
  /** Hashes of the token transfers. */
  readonly transfers: readonly Hex[]
  /** Blocks most of which have no log, a few of them one of the computing contract; null where there are none. */
  readonly sparse: BlockRange | null
  /** Blocks with exactly 10,000 logs of the computing contract. */
  readonly dense: BlockRange | null
}

export interface BlockRange {
  readonly first: number
  readonly last: number
}

export interface SceneSize {
  /** Token transfers, a block each. */
  readonly transfers: number
  readonly accounts: number
  /** Blocks without transactions, but for a log here and there; 0 for no such logs at all. */
  readonly sparseBlocks: number
}

const FUNDS = 10n ** 21n
const SUPPLY = 10n ** 24n
const TRANSFER_GAS = 300_000n
const CREATION_GAS = 3_000_000n
const BLOCK_GAS = 6_500_000n
/** Accounts that receive something in one transaction. */
const SHARE = 20
/** A log in so many sparse blocks. */
const SPARSENESS = 250
const DENSE_TRANSACTIONS = 5
const DENSE_LOGS = 2_000n

/**
 * Sets up the same scene on any node through plain JSON-RPC: sparse logs first, while the state is small,
 * then a token with many holders, many logs, and transfers last, so that their blocks are recent.
 */
export async function setUpScene({ url, funder }: Peer, size: SceneSize): Promise<Scene> {
  const sender = new BenchAccount(url)
  const owner = sender.account.address
  await fund(url, funder, owner)
  await sender.prepare()
  const deploy = async (contract: 'Token' | 'Compute' | 'Spread', args: readonly unknown[] = []) => {
    const { abi, bytecode } = readArtefact(contract)
    const data = encodeDeployData({ abi: abi as Abi, bytecode, args })
    const { contractAddress } = await sender.send({ data, gas: CREATION_GAS })
    if (contractAddress === null) throw new Error(`no address of ${contract}`)
    return contractAddress
  }
  const call = (contract: 'Token' | 'Compute' | 'Spread', functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: readArtefact(contract).abi as Abi, functionName, args })
  const height = async () => Number(await askNode<Hex>(url, 'eth_blockNumber', []))

  const compute = await deploy('Compute')
  const log = (count: bigint) =>
    sender.send({ to: compute, data: call('Compute', 'log', [count]), gas: BLOCK_GAS })
  let sparse: BlockRange | null = null
  let dense: BlockRange | null = null
  if (size.sparseBlocks > 0) {
    const first = await height()
    while ((await height()) - first < size.sparseBlocks) {
      await log(1n)
      await mineBlocks(sender, (await height()) + SPARSENESS - 1)
    }
    sparse = { first: first + 1, last: first + size.sparseBlocks }
    const denseFirst = (await height()) + 1
    for (let i = 0; i < DENSE_TRANSACTIONS; i++) await log(DENSE_LOGS)
    dense = { first: denseFirst, last: await height() }
    await log(DENSE_LOGS)
  }

  const token = await deploy('Token', [SUPPLY])
  const spread = await deploy('Spread')
  const grant = call('Token', 'transfer', [spread, SUPPLY / 2n])
  await sender.send({ to: token, data: grant, gas: TRANSFER_GAS })
  for (let from = 0; from < size.accounts; from += SHARE) {
    const count = BigInt(Math.min(SHARE, size.accounts - from))
    const wei = call('Spread', 'fund', [from, count])
    await sender.send({ to: spread, data: wei, value: count, gas: BLOCK_GAS })
    await sender.send({ to: spread, data: call('Spread', 'share', [token, from, count]), gas: BLOCK_GAS })
  }

  const hashes: Hex[] = []
  const blocks: number[] = []
  for (let i = 0; i < size.transfers; i++) {
    const data = call('Token', 'transfer', [accountOf(i % size.accounts), 1_000n])
    const receipt = await sender.send({ to: token, data, gas: TRANSFER_GAS })
    hashes.push(receipt.hash)
    blocks.push(Number(receipt.blockNumber))
  }
  return {
    owner,
    accounts: size.accounts,
    token,
    compute,
    firstBlock: blocks[0] ?? 0,
    lastBlock: blocks.at(-1) ?? 0,
    transfers: hashes,
    sparse,
    dense,
  }
}

/** Funds an account: from a known key, or from the first account of a node that signs itself. */
export async function fund(url: string, funder: Hex | null, to: Hex): Promise<void> {
  const gasPrice = BigInt(await askNode<Hex>(url, 'eth_gasPrice', [])) * 2n + 1n
  if (funder === null) {
    const [from] = await askNode<Hex[]>(url, 'eth_accounts', [])
    const hash = await askNode<Hex>(url, 'eth_sendTransaction', [{ from, to, value: toHex(FUNDS) }])
    await waitForReceipt(url, hash)
    return
  }
  const account = privateKeyToAccount(funder)
  const chainId = Number(await askNode<Hex>(url, 'eth_chainId', []))
  const nonce = Number(await askNode<Hex>(url, 'eth_getTransactionCount', [account.address, 'latest']))
  const fields = { type: 'legacy', chainId, nonce, gas: 21_000n, gasPrice, to, value: FUNDS } as const
  const raw = await account.signTransaction(fields)
  await waitForReceipt(url, await askNode<Hex>(url, 'eth_sendRawTransaction', [raw]))
}
