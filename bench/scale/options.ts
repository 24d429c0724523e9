export const SCALE_HELP = `bench -- scale: one chain that grows, with the node on it at each size; writes bench/results/scale.{md,json,svg}

  --blocks LIST       heights of a chain with a token transfer in each block, each to a new owner
                      (default 1000,10000,100000)
  --accounts LIST     accounts of a chain that makes 180 in each block (default 10000,100000,1000000)
  --large             10,000,000 accounts, too: takes hours
  --seconds N         length of one measurement (default 2)
  --connections N     of the closed loop (default 64)
  --soak MINUTES      loads the longest chain with the traffic mix at half its peak for so long and gives the trend
                      of the memory (default: no soak)

Generated chains are kept in bench/results/tmp and used again.`

export interface ScaleOptions {
  readonly blocks: readonly number[]
  readonly accounts: readonly number[]
  readonly seconds: number
  readonly connections: number
  readonly soakMinutes: number
}
