import { MIN_BLOCK_GAS_LIMIT } from '../../../src/chain/consensus.ts'
import { calculateDifficulty } from '../../../src/chain/difficulty.ts'
import { gasLimitBounds, nextGasLimit } from '../../../src/chain/gasLimit.ts'
import { minimumGasPriceBounds, nextMinimumGasPrice } from '../../../src/chain/minimumGasPrice.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import type { CaseValues, Comparison } from '../comparison.ts'

type Timed = { timestamp: string; uncleCount: number }
type Line =
  | {
      type: 'difficulty'
      network: NetworkName
      number: string
      parent: Timed & { difficulty: string }
      child: Timed
      difficulty: string
    }
  | {
      type: 'nextGasLimit'
      parentGasLimit: string
      parentGasUsed: string
      minGasLimit: string
      targetGasLimit: string
      forceTarget: boolean
      gasLimit: string
    }
  | {
      type: 'nextMinimumGasPrice'
      previous: string
      target: string
      next: string
      lower: string
      upper: string
      targetInRange: boolean
    }
  | {
      type: 'gasLimitValidity'
      parentGasLimit: string
      gasLimit: string
      parentRuleValid: boolean
      minimumRuleValid: boolean
    }
  | {
      type: 'minimumGasPriceValidity'
      parentMinimumGasPrice: string
      minimumGasPrice: string
      valid: boolean
    }

/** difficulty.jsonl: difficulty, gas limit and minimum gas price of the next block. */
export async function compareDifficulty(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  let number = 0
  for await (const line of lines) {
    const vector = line as Line
    number += 1
    comparison.case(`${vector.type} line ${number}`, (values) => compareLine(vector, values))
  }
}

function compareLine(vector: Line, values: CaseValues): void {
  switch (vector.type) {
    case 'difficulty': {
      const { parent, child } = vector
      const found = calculateDifficulty(
        networkByName(vector.network),
        { number: Number(vector.number), timestamp: BigInt(child.timestamp), uncleCount: child.uncleCount },
        { fields: { timestamp: BigInt(parent.timestamp) }, difficulty: BigInt(parent.difficulty) },
      )
      values.equal('difficulty', vector.difficulty, found)
      return
    }
    case 'nextGasLimit': {
      const found = nextGasLimit({
        parentGasLimit: BigInt(vector.parentGasLimit),
        parentGasUsed: BigInt(vector.parentGasUsed),
        minimum: BigInt(vector.minGasLimit),
        target: BigInt(vector.targetGasLimit),
        forceTarget: vector.forceTarget,
      })
      values.equal('gas limit', vector.gasLimit, found)
      return
    }
    case 'nextMinimumGasPrice': {
      const previous = BigInt(vector.previous)
      const target = BigInt(vector.target)
      const { lower, upper } = minimumGasPriceBounds(previous)
      values.equal('next', vector.next, nextMinimumGasPrice(previous, target))
      values.equal('lower', vector.lower, lower)
      values.equal('upper', vector.upper, upper)
      values.equal('target in range', vector.targetInRange, target >= lower && target <= upper)
      return
    }
    case 'gasLimitValidity': {
      const gasLimit = BigInt(vector.gasLimit)
      const { lower, upper } = gasLimitBounds(BigInt(vector.parentGasLimit))
      values.equal('parent rule', vector.parentRuleValid, gasLimit >= lower && gasLimit <= upper)
      values.equal('minimum rule', vector.minimumRuleValid, gasLimit >= MIN_BLOCK_GAS_LIMIT)
      return
    }
    case 'minimumGasPriceValidity': {
      const { lower, upper } = minimumGasPriceBounds(BigInt(vector.parentMinimumGasPrice))
      const price = BigInt(vector.minimumGasPrice)
      values.equal('valid', vector.valid, price >= lower && price <= upper)
      return
    }
    default:
      throw new Error(`unknown type ${String((vector as { type: unknown }).type)}`)
  }
}
