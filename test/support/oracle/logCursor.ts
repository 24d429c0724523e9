import { RlpError, rlpItemLength } from '../../../src/chain/codec/rlpReader.ts'

/** Most topics of a log. */
const MAX_TOPICS = 4

/**
 * Walks the logs in the stored receipts of a block without decoding anything else: what is not looked at
 * is passed over. The fields belong to the log that {@link next} has moved to; all positions are bytes of
 * {@link receipts}.
 */
export class LogCursor {
  /** RLP list of the receipts, as stored. */
  readonly receipts: Buffer
  /** Place of the transaction in the block. */
  transactionIndex = -1
  /** Place of the log in the block. */
  logIndex = -1
  addressStart = 0
  addressEnd = 0
  topicCount = 0
  readonly topicStarts: Int32Array = new Int32Array(MAX_TOPICS)
  readonly topicEnds: Int32Array = new Int32Array(MAX_TOPICS)
  dataStart = 0
  dataEnd = 0
  #receipt: number
  #logs = 0
  #logsEnd = 0
  #content = 0
  #end = 0

  constructor(receipts: Buffer) {
    this.receipts = receipts
    this.#open(0)
    this.#receipt = this.#content
  }

  /** Moves to the next log of the block; false after the last. @throws RlpError */
  next(): boolean {
    while (this.#logs >= this.#logsEnd) {
      if (this.#receipt >= this.receipts.length) return false
      this.#openReceipt()
    }
    this.#open(this.#logs)
    this.#logs = this.#end
    this.#readLog(this.#content)
    this.logIndex += 1
    return true
  }

  /** `[post state, cumulative gas, bloom, logs, …]`. */
  #openReceipt(): void {
    this.#open(this.#receipt)
    this.#receipt = this.#end
    let position = this.#content
    for (let field = 0; field < 3; field += 1) position = this.#skip(position)
    this.#open(position)
    this.#logs = this.#content
    this.#logsEnd = this.#end
    this.transactionIndex += 1
  }

  /** `[address, topics, data]`. */
  #readLog(start: number): void {
    this.#open(start)
    this.addressStart = this.#content
    this.addressEnd = this.#end
    this.#open(this.#end)
    const topicsEnd = this.#end
    this.topicCount = 0
    for (let position = this.#content; position < topicsEnd; ) {
      if (this.topicCount === MAX_TOPICS) throw new RlpError('log with more than four topics')
      this.#open(position)
      this.topicStarts[this.topicCount] = this.#content
      this.topicEnds[this.topicCount] = this.#end
      this.topicCount += 1
      position = this.#end
    }
    this.#open(topicsEnd)
    this.dataStart = this.#content
    this.dataEnd = this.#end
  }

  /** Finds where the content of the element at a position begins and ends. */
  #open(position: number): void {
    const first = this.receipts[position]
    if (first === undefined) throw new RlpError('receipts end inside an element')
    this.#end = this.#skip(position)
    if (first < 0x80) this.#content = position
    else if (first <= 0xb7) this.#content = position + 1
    else if (first < 0xc0) this.#content = position + 1 + first - 0xb7
    else if (first <= 0xf7) this.#content = position + 1
    else this.#content = position + 1 + first - 0xf7
  }

  #skip(position: number): number {
    const end = position + rlpItemLength(this.receipts, position)
    if (end > this.receipts.length) throw new RlpError('receipts end inside an element')
    return end
  }
}
