export const PRECOMPILES_HELP = `bench -- precompiles: the worst time for gas of every precompiled contract and of the EVM itself; writes
bench/results/precompiles.{md,json}

  --only TEXT      subjects with that text in their name: EVM, or names of contracts
  --figures FILE   makes the table of the lines that rhizome-bench worst printed before`
