import { type Block, parseBlock } from '../../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import { fromHex } from '../../../src/util/bytes.ts'

interface RecordedLine {
  readonly hash?: string
  readonly parentHash?: string
  readonly rlp?: string
}

/** The blocks of a recorded chain by their hash. */
export class RecordedBlocks {
  readonly #spec: NetworkSpec
  readonly #lines = new Map<string, RecordedLine>()

  constructor(spec: NetworkSpec, lines: readonly unknown[]) {
    this.#spec = spec
    for (const line of lines as RecordedLine[]) if (line.hash !== undefined) this.#lines.set(line.hash, line)
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  has(hash: string): boolean {
    return this.#lines.has(hash)
  }

  get(hash: string): Block | null {
    const rlp = this.#lines.get(hash)?.rlp
    return rlp === undefined ? null : parseBlock(this.#spec, fromHex(rlp))
  }
}
