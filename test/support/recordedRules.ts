import { readVectorJson } from './vectors.ts'

interface RecordedGenesis {
  readonly genesisBlock: { readonly activationHeights: Readonly<Record<string, number>> }
}

/** Activation heights of a network as the reference has them. */
export function recordedHeights(network: string): Readonly<Record<string, number>> {
  return readVectorJson<RecordedGenesis>(`genesis/genesis-${network}.json`).genesisBlock.activationHeights
}

/** Rules that the reference had when it was recorded: one that is newer is compared with nothing. */
export const RECORDED_RULES: ReadonlySet<string> = new Set(Object.keys(recordedHeights('main')))
