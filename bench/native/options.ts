export const NATIVE_HELP = `bench -- native: hot paths of the native core; writes bench/results/native.{md,json,svg}

  --parts LIST   of engines (the EVM against bare revm on the same bytecode), micro (Keccak, recovery, proof of
                 work), trie (Unitrie put, get and commit in its store) (default: these), bridge (the worst time for
                 gas of every method of the Bridge; writes bench/results/native-bridge.{md,json})
  --scenes LIST  bridge: texts in the names of recorded scenes, e.g. main-vetiver900,testnet-reed810 (default: all)
  --figures FILE bridge: makes the tables of lines that rhizome-bench bridge-search printed before
  --large        the trie at 10,000,000 keys, too: takes long and about 10 GiB of disk
  --dev          quick build, to try the bench out`
