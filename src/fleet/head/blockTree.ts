import type { FleetBlock, LinkedBlock } from './fleetBlock.ts'

/** Blocks that are kept: others stand at most some hundred blocks behind while they are present. */
const MAX_BLOCKS = 2048

/** The newest executed blocks of this member, and when each was executed. */
export class BlockTree {
  readonly #blocks = new Map<string, { readonly block: LinkedBlock; readonly at: number }>()

  add(block: LinkedBlock, at: number): void {
    const name = nameOf(block.hash)
    if (this.#blocks.has(name)) return
    this.#blocks.set(name, { block, at })
    if (this.#blocks.size <= MAX_BLOCKS) return
    const oldest = this.#blocks.keys().next()
    if (!oldest.done) this.#blocks.delete(oldest.value)
  }

  get(hash: Buffer): LinkedBlock | undefined {
    return this.#blocks.get(nameOf(hash))?.block
  }

  executedAt(hash: Buffer): number | undefined {
    return this.#blocks.get(nameOf(hash))?.at
  }

  /** True when a block is another one or below it. False where the way is not known. */
  isOn(block: Pick<FleetBlock, 'hash' | 'number'>, descendant: Buffer): boolean {
    let walked = this.get(descendant)
    while (walked !== undefined && walked.number > block.number) walked = this.get(walked.parentHash)
    return walked?.hash.equals(block.hash) === true
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('latin1')
}
