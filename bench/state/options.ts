export const STATE_HELP = `bench -- state: writes states of several sizes straight into stores, makes blocks that change them, and reads the
newest state and the earlier ones through nodes by turns; writes bench/results/state.{md,json}

  --sizes LIST        accounts, and as many cells of one contract (default 10000,100000,1000000)
  --large             10,000,000, too: this build alone
  --blocks N          blocks of 20 changed accounts and 20 changed cells each, on each state (default 2000)
  --before NAME=DIR   another build of this node, on a copy of the same stores; may be given several times
  --alone             leaves anvil and geth out, which have the same accounts and cells in their genesis where they are
                      installed (RHIZOME_BENCH_ANVIL and RHIZOME_BENCH_GETH name them in an unusual place)
  --seconds N         length of one measurement (default 2)
  --runs N            measurements of each, by turns, of which the median counts (default 3)
  --connections N     of the closed loop (default 64)
  --memory-limit MIB  reads the largest of the sizes (or that of --large) from the disk by nodes with and without such a
                      bound of a control group, and eth_chainId beside it; writes bench/results/state-limit.{md,json}

Requests are distinct as far as there are accounts, and responses are not cached (--response-cache 0).`

export interface StateOptions {
  readonly sizes: readonly number[]
  readonly blocks: number
  readonly isAlone: boolean
  readonly seconds: number
  readonly runs: number
  readonly connections: number
}
