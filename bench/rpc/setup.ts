import { type Abi, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readArtefact } from '../../test/contracts/artefact.ts'
import type { Artefact } from '../../test/contracts/compile.ts'
import { balanceSlot } from '../../test/e2e/tokenSlots.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { BenchAccount, waitForReceipt } from './account.ts'
import type { Peer } from './peers.ts'

/** What the requests of the load refer to. */
export interface Scene {
  readonly owner: Hex
  readonly receivers: readonly Hex[]
  readonly token: Hex
  readonly compute: Hex
  readonly balanceSlot: Hex
  /** Blocks with a token transfer each, first and last. */
  readonly firstBlock: number
  readonly lastBlock: number
  /** Hashes of the token transfers. */
  readonly transfers: readonly Hex[]
}

const FUNDS = 10n ** 20n
const SUPPLY = 10n ** 24n
const RECEIVERS = 50
const TRANSFER_GAS = 100_000n
const CREATION_GAS = 3_000_000n

/** Makes the same scene on any node through plain JSON-RPC: a token, a contract that computes, and transfers. */
export async function setUpScene({ url, funder }: Peer, transfers: number): Promise<Scene> {
  const sender = new BenchAccount(url)
  const owner = sender.account.address
  await fund(url, funder, owner)
  await sender.prepare()
  const deploy = async (artefact: Artefact, args: Hex = '0x') => {
    const data = `${artefact.bytecode}${args.slice(2)}` as const
    const { contractAddress } = await sender.send({ data, gas: CREATION_GAS })
    if (contractAddress === null) throw new Error(`no address of ${artefact.contract}`)
    return contractAddress
  }
  const artefact = readArtefact('Token')
  const token = await deploy(artefact, encodeAbiParameters([{ type: 'uint256' }], [SUPPLY]))
  const compute = await deploy(readArtefact('Compute'))
  const receivers = Array.from(
    { length: RECEIVERS },
    (_, i): Hex => `0x${keccak256(toHex(`rhizome bench receiver ${i}`)).slice(26)}`,
  )
  const hashes: Hex[] = []
  const blocks: number[] = []
  for (let i = 0; i < transfers; i++) {
    const to = receivers[i % RECEIVERS] as Hex
    const data = encodeFunctionData({
      abi: artefact.abi as Abi,
      functionName: 'transfer',
      args: [to, 1_000n],
    })
    const receipt = await sender.send({ to: token, data, gas: TRANSFER_GAS })
    hashes.push(receipt.hash)
    blocks.push(Number(receipt.blockNumber))
  }
  return {
    owner,
    receivers,
    token,
    compute,
    balanceSlot: balanceSlot(receivers[0] as Hex),
    firstBlock: blocks[0] ?? 0,
    lastBlock: blocks.at(-1) ?? 0,
    transfers: hashes,
  }
}

async function fund(url: string, funder: Hex | null, to: Hex): Promise<void> {
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
