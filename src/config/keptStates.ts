/** Blocks that a reorganisation may take back at most, where states are pruned. */
export const MAX_REORGANISATION_BLOCKS = 128

/** Blocks between two states that peers may have, and by which the newest of them is below its mark (p2p.md §5). */
export const CHECKPOINT_STEP_BLOCKS = 5000
export const CHECKPOINT_DISTANCE_BLOCKS = 3840

/** The form of `--proofs` and `--history`. */
export const PROOFS_PATTERN: RegExp = /^(archive|blocks:[1-9][0-9]{0,8})$/

/** Blocks whose states are kept; null for all. @param proofs as one of these options has it */
export function keptStates(proofs: string): number | null {
  return proofs === 'archive' ? null : Number(proofs.slice('blocks:'.length))
}

/** Blocks whose states are needed, and what for. */
interface NeededStates {
  readonly blocks: number
  readonly reason: string
}

/** The most blocks whose states something needs that a node is to do. */
export function neededStates(config: {
  readonly finalizedDistance: number
  readonly snapshotServer: boolean
}): NeededStates {
  const needs: NeededStates[] = [
    { blocks: MAX_REORGANISATION_BLOCKS, reason: 'reorganisations may take back as many' },
    {
      blocks: config.finalizedDistance,
      reason: 'snapshots are made of the block at --finalized-distance',
    },
  ]
  if (config.snapshotServer) {
    const blocks = CHECKPOINT_STEP_BLOCKS + CHECKPOINT_DISTANCE_BLOCKS
    needs.push({ blocks, reason: '--snapshot-server gives peers states that are as old' })
  }
  return needs.reduce((most, need) => (need.blocks > most.blocks ? need : most))
}
