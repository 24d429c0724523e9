import type { ChainStoreReader } from '../../src/chain/chainStoreReader.ts'
import type { Block } from '../../src/chain/codec/block.ts'
import type { BlockHeader } from '../../src/chain/codec/header.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'

/** A payment of the reward transaction; `to` is null where any account of the federation may stand. */
export interface ExpectedPayment {
  readonly to: Buffer | null
  readonly value: bigint
}

/** Blocks after the paid one that may name its siblings. */
const SIBLING_BLOCKS = 7

/**
 * The payments of every block as consensus.md §8.3 rules them, written from the rules alone. The blocks are a
 * canonical chain from genesis on whose minimum gas price is 0.
 */
export class RemascModel {
  readonly #spec: NetworkSpec
  readonly #federators: number
  readonly #blocks: readonly Block[]
  #rewardBalance = 0n
  #broken = false

  constructor(spec: NetworkSpec, federators: number, blocks: readonly Block[]) {
    this.#spec = spec
    this.#federators = federators
    this.#blocks = blocks
  }

  /** Payments in block `number`, to be asked in ascending order. */
  payments(number: number): ExpectedPayment[] {
    const { maturity, syntheticSpan, labsAddressRskip218: labs } = this.#spec.remasc
    const paid = number - maturity
    const block = this.#blocks[paid]
    if (paid < 1 || block === undefined) return []
    this.#rewardBalance += feesOf(block.header)
    if (paid - syntheticSpan < 0) return []
    const siblings = this.#siblings(paid)
    const wasBroken = this.#broken
    this.#broken =
      siblings.length > 0 &&
      isBroken(
        block.header,
        siblings.map(({ uncle }) => uncle),
      )
    let reward = this.#rewardBalance / BigInt(syntheticSpan)
    this.#rewardBalance -= reward
    const toLabs = reward / 5n
    const payments: ExpectedPayment[] = [{ to: Buffer.from(labs.slice(2), 'hex'), value: toLabs }]
    reward -= toLabs
    const toFederation = reward / 100n
    payments.push(...this.#federation(toFederation))
    reward -= toFederation
    const miner = block.header.fields.coinbase
    if (siblings.length === 0) {
      if (wasBroken) reward -= reward / 10n
      return [...payments, { to: miner, value: reward }]
    }
    const count = BigInt(siblings.length)
    const forPublishers = reward / 10n
    let share = (reward - forPublishers) / (count + 1n)
    if (wasBroken) share -= share / 10n
    for (const { includer } of siblings)
      payments.push({ to: includer.fields.coinbase, value: forPublishers / count })
    for (const { uncle, includer } of siblings) {
      const late = (share * BigInt(includer.number - paid - 1)) / 20n
      payments.push({ to: uncle.fields.coinbase, value: share - late })
    }
    return [...payments, { to: miner, value: share }]
  }

  #federation(reward: bigint): ExpectedPayment[] {
    const size = BigInt(this.#federators)
    const each = reward / size
    return Array.from({ length: this.#federators }, (_, index) => ({
      to: null,
      value: index === this.#federators - 1 ? each + (reward % size) : each,
    }))
  }

  #siblings(paid: number): { uncle: BlockHeader; includer: BlockHeader }[] {
    return this.#blocks
      .slice(paid + 1, paid + 1 + SIBLING_BLOCKS)
      .flatMap(({ header, uncles }) => uncles.map((uncle) => ({ uncle, includer: header })))
      .filter(({ uncle }) => uncle.number === paid)
  }
}

/** Every block of the canonical chain, genesis first. */
export function canonicalBlocks(reader: ChainStoreReader): Block[] {
  const blocks: Block[] = []
  for (let number = 0; ; number += 1) {
    const block = reader.blockByNumber(number)
    if (block === null) return blocks
    blocks.push(block)
  }
}

function isBroken(block: BlockHeader, siblings: readonly BlockHeader[]): boolean {
  const fees = feesOf(block)
  for (const sibling of siblings) {
    if (feesOf(sibling) > 2n * fees) return true
    if (fees < 2n * feesOf(sibling) && Buffer.compare(sibling.hash, block.hash) < 0) return true
  }
  return Math.max(...siblings.map(({ fields }) => fields.uncleCount)) > block.fields.uncleCount
}

function feesOf({ fields }: BlockHeader): bigint {
  return fields.paidFees ?? 0n
}
