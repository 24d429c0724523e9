import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { askNode } from '../../test/support/nodeProcess.ts'

const RECEIPT_POLL_MS = 5
const RECEIPT_LIMIT_MS = 30_000

/** Fields of a receipt that the set-up reads. */
export interface Receipt {
  readonly status: string
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly contractAddress: Hex | null
}

/** A transaction of the set-up. */
export interface Send {
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  readonly gas: bigint
}

/** An account of fixed key that sends plain transactions to any node and waits for each. */
export class BenchAccount {
  readonly account: PrivateKeyAccount = privateKeyToAccount(keccak256(toHex('rhizome bench')))
  readonly url: string
  #nonce = 0
  #chainId = 0
  #gasPrice = 0n

  constructor(url: string) {
    this.url = url
  }

  async prepare(): Promise<void> {
    this.#chainId = Number(await askNode<Hex>(this.url, 'eth_chainId', []))
    // Twice the price, for nodes whose base fee rises; at least one, for zero cannot be sent. Once: a node that
    // follows what was paid last would ask for twice as much each time.
    if (this.#gasPrice === 0n) {
      this.#gasPrice = BigInt(await askNode<Hex>(this.url, 'eth_gasPrice', [])) * 2n + 1n
    }
    const count = await askNode<Hex>(this.url, 'eth_getTransactionCount', [this.account.address, 'latest'])
    this.#nonce = Number(count)
  }

  /** Gas price of its transactions, which others can offer, too. */
  get gasPrice(): bigint {
    return this.#gasPrice
  }

  get chainId(): number {
    return this.#chainId
  }

  /** Sends and waits for the receipt. @throws Error when it failed */
  async send(send: Send): Promise<Receipt & { readonly hash: Hex }> {
    const hash = await askNode<Hex>(this.url, 'eth_sendRawTransaction', [await this.sign(send)])
    return { ...(await waitForReceipt(this.url, hash)), hash }
  }

  /** Signs the next transaction, which must be sent before the one after it. */
  async sign({ to, data, value = 0n, gas }: Send): Promise<Hex> {
    const raw = await this.account.signTransaction({
      type: 'legacy',
      chainId: this.#chainId,
      nonce: this.#nonce,
      gasPrice: this.#gasPrice,
      gas,
      value,
      ...(to === undefined ? {} : { to }),
      ...(data === undefined ? {} : { data }),
    })
    this.#nonce += 1
    return raw
  }
}

/** geth that has just started refuses with an error as long as it indexes: no receipt yet. */
async function askReceipt(url: string, hash: Hex): Promise<Receipt | null> {
  try {
    return await askNode<Receipt | null>(url, 'eth_getTransactionReceipt', [hash])
  } catch (error) {
    if (error instanceof Error && error.message.includes('indexing')) return null
    throw error
  }
}

/** Waits until a transaction is mined. @throws Error when it failed or is not mined */
export async function waitForReceipt(url: string, hash: Hex): Promise<Receipt> {
  const limit = Date.now() + RECEIPT_LIMIT_MS
  while (Date.now() < limit) {
    const receipt = await askReceipt(url, hash)
    if (receipt?.status === '0x1') return receipt
    if (receipt !== null) throw new Error(`transaction ${hash} failed at ${url}`)
    await sleep(RECEIPT_POLL_MS)
  }
  const ask = (method: string, ...params: unknown[]) =>
    askNode(url, method, params).then(
      (answer) => JSON.stringify(answer),
      (error: unknown) => String(error),
    )
  const found = await ask('eth_getTransactionByHash', hash)
  const waiting = await ask('txpool_status')
  const head = await ask('eth_getBlockByNumber', 'latest', false)
  throw new Error(`no receipt of ${hash} at ${url}: ${found}; pool ${waiting}; head ${head}`)
}
