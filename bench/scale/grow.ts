import { runImport } from '../import/runImport.ts'

/** What the growth to a height took. */
export interface GrowthStats {
  readonly height: number
  /** Blocks that came with this growth. */
  readonly blocks: number
  /** From the first of them on; blocks that were there are not counted. */
  readonly seconds: number
  readonly memoryMiB: number
  /** Whole stores, bytes. */
  readonly chainBytes: number
  readonly stateBytes: number
}

/** Imports a file until the chain has a height. Meant to have a process to itself. */
export async function grow(file: string, dataDir: string, height: number): Promise<GrowthStats> {
  const { height: reached, before, seconds, stores } = await runImport(file, dataDir, { height })
  return {
    height: reached,
    blocks: reached - before,
    seconds,
    memoryMiB: process.resourceUsage().maxRSS / 1024,
    chainBytes: stores.chain,
    stateBytes: stores.state,
  }
}
