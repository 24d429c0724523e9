export const SCALE_HELP = `bench -- scale: one chain that grows, with the node on it at each size; writes bench/results/scale.{md,json,svg}

  --blocks LIST       heights of a chain with a token transfer in each block, each to a new owner
                      (default 1000,10000,100000)
  --accounts LIST     accounts of a chain that makes 180 in each block (default 10000,100000,1000000)
  --large             10,000,000 accounts, too: takes hours
  --seconds N         length of one measurement (default 2)
  --connections N     of the closed loop (default 64)
  --runs N            measurements of each kind of request, of which the median counts (default 1)
  --soak MINUTES      loads the longest chain with the traffic mix at half its peak for so long and gives the trend
                      of the memory (default: no soak)
  --store DIR         in place of both chains: one of empty blocks and, in every second one, two token transfers to new
                      owners, whose stores are kept as DIR/HEIGHT for each of --blocks and gone on with by later runs;
                      writes bench/results/scale-kept.{md,json,svg}
  --grow-only         ends when these stores are there

Making of a kept store that was ended goes on behind its last commit. A million blocks take some 8 GB.
Generated chains are kept in bench/results/tmp and used again.`

export interface ScaleOptions {
  readonly blocks: readonly number[]
  readonly accounts: readonly number[]
  readonly seconds: number
  readonly connections: number
  readonly runs: number
  readonly soakMinutes: number
  /** Folder of stores that are kept; null for chains that are imported and removed. */
  readonly store: string | null
  readonly isGrowthAlone: boolean
}
