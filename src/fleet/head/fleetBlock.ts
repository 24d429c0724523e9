import type { BlockReference } from '../../chain/tables/blockKey.ts'

/** A block and the difficulty of the chain up to it, uncles included. */
export interface FleetBlock extends BlockReference {
  readonly totalDifficulty: bigint
}

/** A block that is executed and durable. */
export interface LinkedBlock extends FleetBlock {
  readonly parentHash: Buffer
}
