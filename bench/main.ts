/** Each is loaded when it is asked for: the load generator needs no native core. */
const BENCHES: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  build: async () => (await import('./mining/benchBuild.ts')).benchBuild(),
  import: async (args) => (await import('./import/benchImport.ts')).benchImport(args),
  mining: async (args) => (await import('./mining/benchMining.ts')).benchMining(args),
  native: async (args) => (await import('./native/benchNative.ts')).benchNative(args),
  rpc: async (args) => (await import('./rpc/benchRpc.ts')).benchRpc(args),
}

const [name = '', ...args] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench === undefined) {
  console.error(`bench: ${Object.keys(BENCHES).join(' | ')} expected, not "${name}"`)
  process.exitCode = 2
} else {
  await bench(args)
}
