import type { LogCursor } from './logCursor.ts'

/** Hashes of a block's transactions by their place. */
export interface TransactionHashSource {
  at(index: number): Buffer
}

/** The block whose logs are written. */
export interface LogBlock {
  readonly number: number
  readonly hash: Buffer
  readonly transactionHashes: TransactionHashSource
}

/**
 * Writes logs of one block as JSON objects (rpc.md §3.4, §8.1) straight from the bytes of its receipts.
 * What the logs of a block and of a transaction have in common is made once.
 */
export class LogText {
  readonly #block: string
  readonly #hashes: TransactionHashSource
  readonly #tail: string
  #transaction = ''
  #transactionIndex = -1

  /** @param removed member `removed` of each log: whether the block left the chain */
  constructor({ number, hash, transactionHashes }: LogBlock, removed: boolean) {
    this.#block = `"blockNumber":"0x${number.toString(16)}","blockHash":"0x${hash.toString('hex')}",`
    this.#hashes = transactionHashes
    this.#tail = `,"removed":${removed}}`
  }

  /** The log at hand of a cursor over the block's receipts. */
  write(log: LogCursor): string {
    const { receipts, topicCount } = log
    let topics = ''
    for (let position = 0; position < topicCount; position += 1) {
      const topic = receipts.toString('hex', log.topicStarts[position] ?? 0, log.topicEnds[position] ?? 0)
      topics += position === 0 ? `"0x${topic}"` : `,"0x${topic}"`
    }
    const address = receipts.toString('hex', log.addressStart, log.addressEnd)
    const data = receipts.toString('hex', log.dataStart, log.dataEnd)
    return `{"logIndex":"0x${log.logIndex.toString(16)}",${this.#block}${this.#transactionPart(log.transactionIndex)}"address":"0x${address}","data":"0x${data}","topics":[${topics}]${this.#tail}`
  }

  #transactionPart(index: number): string {
    if (index !== this.#transactionIndex) {
      const hash = this.#hashes.at(index).toString('hex')
      this.#transaction = `"transactionHash":"0x${hash}","transactionIndex":"0x${index.toString(16)}",`
      this.#transactionIndex = index
    }
    return this.#transaction
  }
}
