import { setTimeout as sleep } from 'node:timers/promises'
import { bigIntToBytes, fromHex, toHex } from '../../util/bytes.ts'
import { signTransaction } from '../../wallet/signing.ts'
import { RehearsalError } from '../errors.ts'
import type { KeyPair } from '../keyPair.ts'

/** Gas limit unless a transaction asks for another one; what is not used is not paid. */
const GAS_LIMIT = 2_000_000n
/** How often, and after how many milliseconds, a node is asked for the receipt of what it mines. */
const RECEIPT_TRIES = 200
const RECEIPT_PAUSE = 20
const EMPTY = Buffer.alloc(0)

/** Calls a JSON-RPC method of a node; rejects with a message for people. */
export type JsonRpc = (method: string, params: unknown[]) => Promise<unknown>

/** An event in a receipt. */
export interface RpcLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** What became of a transaction. */
export interface RpcReceipt {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly status: string
  readonly contractAddress: string | null
  readonly logs: readonly RpcLog[]
}

/** What a transaction asks for; without a receiver it makes a contract of its data. */
export interface TransactionRequest {
  readonly to?: Buffer
  /** Wei. */
  readonly value?: bigint
  readonly data?: Buffer
}

/** A development node, asked over JSON-RPC alone. */
export class RootstockNode {
  readonly #ask: JsonRpc
  #chainId: Promise<number> | null = null

  constructor(ask: JsonRpc) {
    this.#ask = ask
  }

  /** Asked once: a node has one chain as long as it runs. */
  chainId(): Promise<number> {
    this.#chainId ??= this.#ask('eth_chainId', []).then(Number)
    return this.#chainId
  }

  async blockNumber(): Promise<number> {
    return Number(await this.#ask('eth_blockNumber', []))
  }

  /** Wei. */
  async balance(address: Buffer): Promise<bigint> {
    return BigInt((await this.#ask('eth_getBalance', [toHex(address), 'latest'])) as string)
  }

  /** What a call answers at the newest block. */
  async call(to: Buffer, data: Buffer, from?: Buffer): Promise<Buffer> {
    const sender = from === undefined ? {} : { from: toHex(from) }
    const call = { ...sender, to: toHex(to), data: toHex(data), gas: toHex(bigIntToBytes(GAS_LIMIT)) }
    return fromHex((await this.#ask('eth_call', [call, 'latest'])) as string)
  }

  /** Makes empty blocks. */
  async mine(count: number): Promise<void> {
    if (count > 0) await this.#ask('hardhat_mine', [`0x${count.toString(16)}`])
  }

  /** Makes blocks until the chain has a height. */
  async mineTo(height: number): Promise<void> {
    await this.mine(height - (await this.blockNumber()))
  }

  /** Signs, sends and mines a transaction. @throws RehearsalError when it fails */
  async send(
    key: KeyPair,
    { to = EMPTY, value = 0n, data = EMPTY }: TransactionRequest,
  ): Promise<RpcReceipt> {
    const [chainId, nonce, price] = await Promise.all([
      this.chainId(),
      this.#ask('eth_getTransactionCount', [toHex(key.address), 'pending']),
      this.#ask('eth_gasPrice', []),
    ])
    const signer = { address: key.address, sign: (hash: Buffer) => key.sign(hash) }
    const transaction = signTransaction(signer, {
      nonceBytes: bigIntToBytes(BigInt(nonce as string)),
      gasPrice: BigInt(price as string),
      gasLimitBytes: bigIntToBytes(GAS_LIMIT),
      to,
      value,
      data,
      chainId,
    })
    const hash = (await this.#ask('eth_sendRawTransaction', [toHex(transaction.encoded)])) as string
    const receipt = await this.#receipt(hash)
    if (BigInt(receipt.status) === 1n) return receipt
    throw new RehearsalError('REFUSED', `transaction ${hash} failed`)
  }

  async #receipt(hash: string): Promise<RpcReceipt> {
    for (let tries = 0; tries < RECEIPT_TRIES; tries += 1) {
      const receipt = (await this.#ask('eth_getTransactionReceipt', [hash])) as RpcReceipt | null
      if (receipt !== null) return receipt
      // A node that mines at intervals, or not at all, is told to.
      if (tries > 0) await this.#ask('evm_mine', [])
      await sleep(RECEIPT_PAUSE)
    }
    throw new RehearsalError('REFUSED', `transaction ${hash} is in no block`)
  }
}
