export const IMPORT_HELP = `bench -- import: recorded and generated chains, each import in a process of its own; writes bench/results/import.{md,json}

  --blocks N         of a generated chain (default 2000)
  --per-block N      transactions of a block (default 20)
  --runs N           imports of each chain; the median counts (default 3)
  --commit-every N   blocks made durable together (default 64)
  --only TEXT        only chains whose name contains the text; may be repeated`
