export const STATE_HELP = `bench -- state: writes states of several sizes straight into stores and reads each through a node; writes
bench/results/state.{md,json}

  --sizes LIST        accounts, and as many cells of one contract (default 10000,100000,1000000)
  --large             10,000,000, too: this build alone
  --before NAME=DIR   another build of this node that reads the same stores by turns; may be given several times
  --seconds N         length of one measurement (default 2)
  --runs N            measurements of each, of which the median counts (default 3)
  --connections N     of the closed loop (default 64)

Requests are distinct as far as there are accounts, and responses are not cached (--response-cache 0).`
