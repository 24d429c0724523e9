import { benchImport } from './import/benchImport.ts'
import { benchLogs } from './logs/benchLogs.ts'
import { benchNative } from './native/benchNative.ts'

const [name = '', ...args] = process.argv.slice(2)
const BENCHES: Readonly<Record<string, (args: string[]) => void | Promise<void>>> = {
  import: benchImport,
  native: benchNative,
  logs: benchLogs,
}
const bench = BENCHES[name]
if (bench === undefined) {
  console.error(`bench: ${Object.keys(BENCHES).join(' | ')} expected, not "${name}"`)
  process.exitCode = 2
} else {
  await bench(args)
}
