export const PRUNED_HELP = `bench -- pruned: a chain with a token transfer in each block as an archive and with --proofs and --history blocks:N:
what both take on disk, and reads of the pruned node in an open loop while blocks come and an epoch ends; writes
bench/results/pruned.{md,json}

  --blocks N          height of the chain (default 100000)
  --kept N            blocks whose tries and values are kept (default 10000)
  --seconds N         length of one window of the open loop (default 60)
  --runs N            windows at rest and with blocks, by turns (default 3)
  --connections N     of both loops (default 64)
  --store DIR         takes the blocks, and the archive, of a store that bench -- scale --store keeps there; it is grown
                      where it is not
  --disk-only         ends when the disk is measured

The chain is kept in bench/results/tmp and used again. Before each window with blocks two epochs are given up and the
blocks of a third are made but for half of those of the window, so that it ends there: the table says what was given up.`

export interface PrunedOptions {
  readonly blocks: number
  readonly kept: number
  readonly seconds: number
  readonly runs: number
  readonly connections: number
  readonly store: string | null
  readonly isDiskAlone: boolean
}
