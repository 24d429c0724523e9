import { setTimeout as sleep } from 'node:timers/promises'
import { bigIntToBytes, fromHex, toHex } from '../../util/bytes.ts'
import { signTransaction } from '../../wallet/signing.ts'
import { RehearsalError } from '../errors.ts'
import type { KeyPair } from '../keyPair.ts'

/** Default gas limit; unused gas is not paid. */
const GAS_LIMIT = 2_000_000n
/** Number and interval in milliseconds of polls for the receipt of a mined transaction. */
const RECEIPT_TRIES = 200
const RECEIPT_PAUSE = 20
const EMPTY = Buffer.alloc(0)

/** Calls a JSON-RPC method of a node; rejects with a message for the user. */
export type JsonRpc = (method: string, params: unknown[]) => Promise<unknown>

/** An event in a receipt. */
export interface RpcLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** Receipt of a transaction. */
export interface RpcReceipt {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly status: string
  readonly contractAddress: string | null
  readonly logs: readonly RpcLog[]
}

/** A transaction to send; without a receiver it creates a contract from its data. */
export interface TransactionRequest {
  readonly to?: Buffer
  /** Wei. */
  readonly value?: bigint
  readonly data?: Buffer
}

/** A development node, accessed over JSON-RPC alone. */
export class RootstockNode {
  readonly #ask: JsonRpc
  #chainId: Promise<number> | null = null

  constructor(ask: JsonRpc) {
    this.#ask = ask
  }

  /** Requested once: a node has one chain as long as it runs. */
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

  /** Result of a call at the latest block. */
  async call(to: Buffer, data: Buffer, from?: Buffer): Promise<Buffer> {
    const sender = from === undefined ? {} : { from: toHex(from) }
    const call = { ...sender, to: toHex(to), data: toHex(data), gas: toHex(bigIntToBytes(GAS_LIMIT)) }
    return fromHex((await this.#ask('eth_call', [call, 'latest'])) as string)
  }

  /** Mines empty blocks. */
  async mine(count: number): Promise<void> {
    if (count > 0) await this.#ask('hardhat_mine', [`0x${count.toString(16)}`])
  }

  /** Mines blocks until the chain has a height. */
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
      // Nodes that mine at intervals, or not at all, are told to mine.
      if (tries > 0) await this.#ask('evm_mine', [])
      await sleep(RECEIPT_PAUSE)
    }
    throw new RehearsalError('REFUSED', `transaction ${hash} is in no block`)
  }
}
