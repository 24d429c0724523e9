export const SYNC_HELP = `bench -- sync: download and connection of a chain from other nodes; writes bench/results/sync.{md,json}

  --blocks N       of a generated chain (default 10000)
  --runs N         of each, by turns; the median counts between two nodes (default 3)
  --chain TEXT     of those between two nodes, the ones whose name contains the text
  --only NAME      between, reads or servers; may be repeated (default all)
  --servers N      simulated servers with the reference's limit; may be repeated (default 1, 4, 24)
  --limited-blocks N  of the chain that they have (default 30000, which lasts 24 servers for 75 s)
  --seconds N      that a download from them is measured for at most (default 120)`
