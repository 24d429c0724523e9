import { cliArguments } from '../test/support/cli.ts'
import { DEV_HELP } from './dev/benchDev.ts'
import { FLEET_HELP } from './fleet/options.ts'
import { FORK_HELP } from './fork/benchFork.ts'
import { IMPORT_HELP } from './import/options.ts'
import { NATIVE_HELP } from './native/options.ts'
import { OVERLOAD_HELP } from './overload/options.ts'
import { PRECOMPILES_HELP } from './precompiles/options.ts'
import { PRUNED_HELP } from './pruned/options.ts'
import { quietProcess } from './quietProcess.ts'
import { REQUEST_HELP } from './request/options.ts'
import { CEILING_HELP } from './rpc/benchCeiling.ts'
import { PAIRS_HELP } from './rpc/benchPairs.ts'
import { RPC_HELP } from './rpc/options.ts'
import { SCALE_HELP } from './scale/options.ts'
import { SENDS_HELP } from './sends/options.ts'
import { STATE_HELP } from './state/options.ts'
import { SYNC_HELP } from './sync/options.ts'

interface Bench {
  readonly summary: string
  readonly help: string
  readonly run: (args: string[]) => Promise<void>
}

/** Each is loaded on demand: the native core may not be built yet. */
const BENCHES: Readonly<Record<string, Bench>> = {
  rpc: {
    summary: 'requests/s, latency, processor time and memory beside anvil, geth and others',
    help: RPC_HELP,
    run: async (args) => (await import('./rpc/benchRpc.ts')).benchRpc(args),
  },
  pairs: {
    summary: 'requests/s of this build beside another build of this node',
    help: PAIRS_HELP,
    run: async (args) => (await import('./rpc/benchPairs.ts')).benchPairs(args),
  },
  ceiling: {
    summary: 'processor time of a request beside that of the socket library alone',
    help: CEILING_HELP,
    run: async (args) => (await import('./rpc/benchCeiling.ts')).benchCeiling(args),
  },
  request: {
    summary: 'what each concern of a light request costs: nanoseconds, bytes, calls',
    help: REQUEST_HELP,
    run: async (args) => (await import('./request/benchRequest.ts')).benchRequest(args),
  },
  dev: {
    summary: 'a development chain from its start on, beside anvil',
    help: DEV_HELP,
    run: async (args) => (await import('./dev/benchDev.ts')).benchDev(args),
  },
  sends: {
    summary: 'processor time of a send by thread and function, beside other builds and anvil',
    help: SENDS_HELP,
    run: async (args) => (await import('./sends/benchSends.ts')).benchSends(args),
  },
  overload: {
    summary: 'many times the peak rate beside idle WebSockets; an abusive key beside a quiet one',
    help: OVERLOAD_HELP,
    run: async (args) => (await import('./overload/benchOverload.ts')).benchOverload(args),
  },
  limits: {
    summary: 'nanoseconds that keys and limits cost a request',
    help: 'bench -- limits: prints what admission costs a request; writes bench/results/limits.{md,json}',
    run: async () => (await import('./limits/benchLimits.ts')).benchLimits(),
  },
  fleet: {
    summary: 'processor time, heads and messages of several nodes as one service',
    help: FLEET_HELP,
    run: async (args) => (await import('./fleet/benchFleet.ts')).benchFleet(args),
  },
  fork: {
    summary: 'requests, processor time and memory of a fork, beside that of anvil',
    help: FORK_HELP,
    run: async (args) => (await import('./fork/benchFork.ts')).benchFork(args),
  },
  import: {
    summary: 'blocks/s and Mgas/s of imports of recorded and generated chains',
    help: IMPORT_HELP,
    run: async (args) => (await import('./import/benchImport.ts')).benchImport(args),
  },
  native: {
    summary: 'the EVM against bare revm, hot paths, the Unitrie',
    help: NATIVE_HELP,
    run: async (args) => (await import('./native/benchNative.ts')).benchNative(args),
  },
  precompiles: {
    summary: 'the worst time for gas of every precompiled contract and of the EVM itself',
    help: PRECOMPILES_HELP,
    run: async (args) => (await import('./precompiles/benchPrecompiles.ts')).benchPrecompiles(args),
  },
  scale: {
    summary: 'how reads, imports, logs and stores grow with blocks and accounts; start-up, memory, soak',
    help: SCALE_HELP,
    run: async (args) => (await import('./scale/benchScale.ts')).benchScale(args),
  },
  pruned: {
    summary: 'disk and reads of a node that gives old states up, beside an archive',
    help: PRUNED_HELP,
    run: async (args) => (await import('./pruned/benchPruned.ts')).benchPruned(args),
  },
  state: {
    summary: 'reads of the newest state by its size, which is written straight into the store',
    help: STATE_HELP,
    run: async (args) => (await import('./state/benchState.ts')).benchState(args),
  },
  logs: {
    summary: 'the log index, reading of logs, fan-out to subscribers, inside one process',
    help: 'bench -- logs [BLOCKS]: so many blocks in the index (default 20000)',
    run: async (args) => (await import('./logs/benchLogs.ts')).benchLogs(args),
  },
  build: {
    summary: 'how long a full block takes to build',
    help: 'bench -- build: prints how long a block takes to build from pools of several sizes',
    run: async () => (await import('./mining/benchBuild.ts')).benchBuild(),
  },
  snapshot: {
    summary: 'seconds that making, checking and restoring a snapshot take, and its size',
    help:
      'bench -- snapshot [--blocks N] [--per-block N] [--workload NAME] [--full]: of a generated chain ' +
      '(default 10000 blocks of 2 transactions)',
    run: async (args) => (await import('./snapshot/benchSnapshot.ts')).benchSnapshot(args),
  },
  sync: {
    summary: "synchronisation from nodes of this kind and from servers with the reference's limits",
    help: SYNC_HELP,
    run: async (args) => (await import('./sync/benchSync.ts')).benchSync(args),
  },
  mining: {
    summary: 'pools that ask for work beside readers',
    help:
      'bench -- mining [--peer NAME=URL …] [--seconds N] [--pools N] [--readers N] [--workload TEXT …] ' +
      '[--transfers N]; writes bench/results/mining.{md,json}',
    run: async (args) => (await import('./mining/benchMining.ts')).benchMining(args),
  },
}

const HELP = `npm run bench -- NAME [OPTIONS]; NAME --help describes the options

${Object.entries(BENCHES)
  .map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`)
  .join('\n')}

Results land in bench/results as JSON, Markdown and SVG.`

const [name = '', ...args] = process.argv.slice(2)
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench === undefined) {
  const asked = ['', '--help', '-h', 'help'].includes(name)
  if (asked) console.log(HELP)
  else console.error(`bench: there is no "${name}"\n\n${HELP}`)
  process.exitCode = name === '' || !asked ? 2 : 0
} else if (args.includes('--help') || args.includes('-h')) {
  console.log(bench.help)
} else {
  // A node that runs from sources has the compiler in each of its threads, which distorts speed and memory.
  if (cliArguments().length > 1) throw new Error('dist is older than src: npm run build')
  quietProcess()
  await bench.run(args)
}
